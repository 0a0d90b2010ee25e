package memory

import (
	"context"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/fault"
)

// Failure is a failure of the Detector, without text that a user wrote.
type Failure struct {
	At float64
	// Code is one of the Code constants of package wire.
	Code string
	// Status is the HTTP status of the model's provider, 0 if there was none.
	Status int
}

func failureOf(err error, now float64) Failure {
	known := fault.Of(err)
	return Failure{At: now, Code: known.Code, Status: known.ProviderStatus}
}

// detection describes how the messages of an agent are examined.
func (s *Service) detection(ctx context.Context, projectID, agentID string) (*wire.MemoryDetection, error) {
	detection, err := s.config.Store.Detection(ctx, projectID, agentID)
	if err != nil {
		return nil, err
	}
	detection.Detector = wire.DetectorModel
	if _, isEmbedded := s.config.Detector.(Embedded); isEmbedded {
		detection.Detector = wire.DetectorEmbedded
	}
	return &detection, nil
}
