package rates

// Callers is how many callers are remembered.
func (l *Limiter[Key]) Callers() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.callers)
}
