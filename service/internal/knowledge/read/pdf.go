package read

func readPDF(b *builder, data []byte) error { return Broken }
