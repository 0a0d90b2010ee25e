package wire

// Error codes of the service.
const (
	CodeValidation       = "VALIDATION_ERROR"
	CodeFeatureDisabled  = "FEATURE_DISABLED"
	CodeAuthentication   = "AUTHENTICATION"
	CodeInvalidToken     = "INVALID_BEARER_TOKEN"
	CodeTokenExpired     = "TOKEN_EXPIRED"
	CodePermissionDenied = "PERMISSION_DENIED"
	CodeNotFound         = "ENTITY_NOT_FOUND"
	CodeMethodNotAllowed = "METHOD_NOT_ALLOWED"
	CodeConflict         = "CONFLICT"
	CodeStreamGone       = "STREAM_GONE"
	CodePayloadTooLarge  = "PAYLOAD_TOO_LARGE"
	CodeUnsupportedMedia = "UNSUPPORTED_MEDIA_TYPE"
	CodeKeyReused        = "IDEMPOTENCY_KEY_REUSED"
	CodeRateLimited      = "RATE_LIMITED"
	CodeQuotaExceeded    = "QUOTA_EXCEEDED"
	CodeInternal         = "INTERNAL"
	CodeProviderFailed   = "PROVIDER_FAILED"
	CodeUnavailable      = "UNAVAILABLE"
	CodeProviderTimeout  = "PROVIDER_TIMEOUT"
)

// Codes that the SDK sets itself, with status 0, if there was no whole response.
const (
	CodeNetwork   = "NETWORK"
	CodeTimeout   = "TIMEOUT"
	CodeStreamCut = "STREAM_CUT"
)

// ErrorBody is the body of every error response, and the data of the error event.
type ErrorBody struct {
	StatusCode int       `json:"status_code"`
	Error      ErrorInfo `json:"error"`
	Detail     string    `json:"detail,omitempty"`
}

// ErrorInfo says what went wrong.
type ErrorInfo struct {
	// Code is one of the Code constants.
	Code string `json:"code"`
	// Message is a sentence for people.
	Message string `json:"message"`
	// InvalidFields names the fields of the request that were wrong.
	InvalidFields []string `json:"invalid_fields,omitempty"`
	// Reason is one of the Provider constants, if a model's provider failed, or empty.
	Reason string `json:"reason,omitempty"`
}

// Why a model's provider did not answer, in ErrorInfo.Reason.
const (
	ProviderQuota    = "quota"    // the account is used up
	ProviderKey      = "key"      // the key or its rights
	ProviderModel    = "model"    // the model does not exist, or lacks an ability
	ProviderRejected = "rejected" // the prompt was refused, for its form or its length
	ProviderBroken   = "broken"   // the provider failed, or its answer broke off
	ProviderEmpty    = "empty"    // the model said nothing
	ProviderFiltered = "filtered" // a content filter, or the model's refusal
)

// AccessTokenRequest is the body of POST /auth/token.
type AccessTokenRequest struct {
	UserID string `json:"user_id"`
	// Role is RoleOrdinary, the default, or RoleAdmin.
	Role string `json:"role,omitempty"`
	// Agents are the agents that the user may use: nil means all, empty means none.
	Agents []string `json:"agents,omitzero"`
	// ExpiresIn is in seconds, 3600 by default, 86400 at most; nil means absent.
	ExpiresIn *int64 `json:"expires_in,omitempty"`
}

// AccessTokenResponse is a minted access token.
type AccessTokenResponse struct {
	AccessToken string `json:"access_token"`
	// ExpiresAt is in seconds since the Unix epoch.
	ExpiresAt float64 `json:"expires_at"`
}

// Roles of an access token.
const (
	RoleOrdinary = "user"
	RoleAdmin    = "admin"
)
