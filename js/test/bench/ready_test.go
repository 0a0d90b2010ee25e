package bench_test

func (b *bench) ready() {}

func (b *bench) conditions() string { return "" }
