package main

import "context"

func startAISDK(context.Context, string, string) (*running, error) { return nil, missing{"Redis"} }
