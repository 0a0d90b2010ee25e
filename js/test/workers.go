package test

import (
	"net/http"
	"os"
	"path"
	"regexp"
	"strings"
	"time"
)

// Workers reports whether the tests run in worker mode, for which the environment
// has WORKER=1: every ChatSDK then has worker: true unless it says otherwise.
func (s *Suite) Workers() bool { return s.workers }

func workersWanted() bool { return os.Getenv("WORKER") == "1" }

// withWorkers returns a class whose objects have their core in a worker; in the
// examples, whose policy forbids blob:, in a worker from an address.
const withWorkers = `((ChatSDK) => {
	const worker = globalThis.location?.pathname.startsWith("/examples/") ? "/dist/chatsdk.worker.js" : true;
	const inWorker = (options) => (typeof options === "object" && options !== null ? { worker, ...options } : options);
	const { preload } = ChatSDK;
	ChatSDK.preload = (options = {}) => preload(inWorker(options));
	return new Proxy(ChatSDK, { construct: (target, [config], self) => Reflect.construct(target, [inWorker(config)], self) });
})`

// exported matches the class in the built module's exports.
var exported = regexp.MustCompile(`([\w$]+) as ChatSDK`)

// serveWithWorkers serves dist/chatsdk.js and dist/chatsdk.mjs with their class
// in worker mode.
func (s *Suite) serveWithWorkers(w http.ResponseWriter, r *http.Request) {
	name := path.Base(r.URL.Path)
	text, err := os.ReadFile(s.File("dist/" + name))
	if err != nil {
		http.Error(w, err.Error(), http.StatusNotFound)
		return
	}
	code := string(text)
	if name == "chatsdk.mjs" {
		class := exported.FindStringSubmatch(code)[1]
		code = exported.ReplaceAllLiteralString(code, "withWorkers as ChatSDK") + "const withWorkers = " + withWorkers + "(" + class + ");\n"
	} else {
		code += "ChatSDK = " + withWorkers + "(ChatSDK);\n"
	}
	w.Header().Set("Access-Control-Allow-Origin", "*")
	w.Header().Set("Content-Type", "text/javascript")
	http.ServeContent(w, r, name, time.Time{}, strings.NewReader(code))
}
