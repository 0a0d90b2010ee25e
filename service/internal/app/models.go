package app

import (
	"log/slog"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/chatsdk/chatsdk/service/internal/agent/detection"
	"github.com/chatsdk/chatsdk/service/internal/agent/openai"
	"github.com/chatsdk/chatsdk/service/internal/agent/router"
	"github.com/chatsdk/chatsdk/service/internal/agent/upstream"
	"github.com/chatsdk/chatsdk/service/internal/answering"
	"github.com/chatsdk/chatsdk/service/internal/builtin/embedded"
	"github.com/chatsdk/chatsdk/service/internal/config"
	"github.com/chatsdk/chatsdk/service/internal/demo"
	"github.com/chatsdk/chatsdk/service/internal/httpapi"
	"github.com/chatsdk/chatsdk/service/internal/memory"
)

// embeddedAtOnce is how many prompts the embedded agent reads at the same time: a full prompt
// takes tens of megabytes for a moment.
const embeddedAtOnce = 2

// models answer messages and examine them.
type models struct {
	provider answering.Provider
	detector memory.Detector
	// detections is how many messages are examined at the same time.
	detections int
	// fallback examines messages if detector fails, nil if there is none.
	fallback memory.Detector
	close    func()
}

// newModels returns the configured providers, or what is built in.
func newModels(s *config.Settings, providers config.Providers, agents []answering.Agent, set *prometheus.Registry, log *slog.Logger) (*models, error) {
	if len(providers.All) == 0 {
		agent := embedded.Agent{Turns: embedded.NewTurns(embeddedAtOnce)}
		if s.Demo {
			agent.Pace = demo.Pace
		}
		return &models{provider: agent, detector: memory.Embedded{}, detections: 1, close: func() {}}, nil
	}
	opened, closeAll, err := openProviders(s, providers, log)
	if err != nil {
		return nil, err
	}
	asked := map[string]answering.Provider{}
	for name, one := range opened {
		asked[name] = one
	}
	all := &models{close: closeAll, provider: router.New(router.Config{
		Catalog: providers.Catalog, Providers: asked, Asked: httpapi.CountModelRequests(set), Paid: httpapi.CountModelPrices(set),
		Used: httpapi.CountTokens(set), Log: log,
	})}
	all.detect(providers, agents, opened, set, s.ProviderTimeout)
	return all, nil
}

// openProviders opens all providers.
func openProviders(s *config.Settings, providers config.Providers, log *slog.Logger) (opened map[string]router.Opened, closeAll func(), err error) {
	opened = map[string]router.Opened{}
	closeAll = func() {
		for _, one := range opened {
			one.Close()
		}
	}
	for _, p := range providers.All {
		one, err := router.Open(p.Kind, upstream.Config{
			BaseURL: p.URL, APIKey: p.Key, Headers: p.Headers, Query: p.Query, Timeout: s.ProviderTimeout, Log: log.With("provider", p.Name),
		})
		if err != nil {
			closeAll()
			return nil, nil, p.Wrong(err)
		}
		opened[p.Name] = one
	}
	return opened, closeAll, nil
}

// detect chooses what finds memories: the model that is asked if nobody names one, or that of the first agent.
func (m *models) detect(providers config.Providers, agents []answering.Agent, opened map[string]router.Opened, set *prometheus.Registry,
	timeout time.Duration) {
	name := providers.Model
	if name == "" {
		name = agents[0].Model
	}
	provider, model, _ := providers.Catalog.Find(name)
	parameters := provider.Parameters.With(model.Parameters)
	m.detections, m.fallback = 4, memory.Embedded{}
	switch one := opened[provider.Name].(type) {
	case *openai.Provider: // it can ask for JSON
		detector := one.Detector(model.Name, parameters)
		detector.Fallback = httpapi.CountDetectionFallbacks(set)
		m.detector = detector
	default:
		m.detector = detection.Detector{Provider: one, Model: model.Name, Parameters: parameters, Timeout: timeout}
	}
}
