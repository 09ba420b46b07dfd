"""The rules by phase group: plain functions of a position. Nothing here is imported by what lies beside this folder."""
