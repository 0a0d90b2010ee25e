package read

// Within is Bytes with another bound of what a PDF unpacks to.
var Within = within
