package read

// Within is Bytes with another bound of what a PDF unpacks to.
var Within = within

// TimeFor is what a Reader gives a file of so many bytes.
var TimeFor = timeFor
