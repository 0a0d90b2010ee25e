package knowledge

// RetryAfter is how long a file waits after each failure but the last.
var RetryAfter = retryAfter
