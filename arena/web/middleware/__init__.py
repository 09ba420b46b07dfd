"""What stands between browsers and the pages: headers, limits, errors that tell no more than they must."""
