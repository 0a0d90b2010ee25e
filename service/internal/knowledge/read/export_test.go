package read

// Within does the same as Bytes with another limit for the unpacked size of a PDF.
var Within = within

// TimeFor returns the time that a Reader gives a file of this size.
var TimeFor = timeFor
