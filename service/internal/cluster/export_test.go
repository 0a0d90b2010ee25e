//go:build unix

package cluster

// StopLooking makes the proxy keep what it knows about the replicas.
func (p *Proxy) StopLooking() { p.cancel() }

// Connected returns how many requests got a connection to a replica.
func (p *Proxy) Connected() int { return int(p.connected.Load()) }
