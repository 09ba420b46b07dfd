"""A whole tournament as one file: what it holds is `contents`, the file with its hash chain is `chain`."""
