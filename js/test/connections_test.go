package test_test

import (
	"bufio"
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"math/big"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/chromedp/cdproto/security"
	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/js/test"
)

// openStreams opens $1 streams in a page and waits until each has its first chunk. They end when the
// gate of waiting is closed.
const openStreams = `
	globalThis.ends = [];
	await Promise.all(Array.from({ length: $1 }, () => new Promise((opened) => {
		ends.push(sdk.sendMessageStream("wait", { onChunk: opened }));
	})));`

// waiting is a service whose answers to "wait" send one chunk, and end when the gate is closed.
func waiting(t *testing.T) (service *test.Service, gate chan struct{}) {
	model := test.NewModel(t)
	gate = make(chan struct{})
	model.On("wait", func(a *test.Answer) {
		a.Text("one").Wait(gate)
		a.Finish("stop")
	})
	return suite.Service(t, model.Env()...), gate
}

// A browser opens six connections to an HTTP/1.1 origin: a call after six streams says so, and
// works when they have ended.
func TestSixStreamsOverHTTP1(t *testing.T) {
	t.Parallel()
	service, gate := waiting(t)
	p := suite.SDKPage(t, service.Origin, test.ModulePage, service.Config(t, "ada"))
	p.Do(openStreams, 6)
	got := test.Eval[failure](p, `return kit.failure(new ChatSDK({ ...config, timeout: 500 }).listChats())`)
	requireAPIError(t, got, 0, "TIMEOUT")
	require.Contains(t, got.Message, "listChats: ")
	require.Contains(t, got.Advice, "six open streams")
	close(gate)
	p.Do(`await Promise.all(ends)`)
	require.Equal(t, 6, test.Eval[int](p, `return (await sdk.listChats()).chats.length`))
}

// requested waits until $2 answers to requests for an address that ends with $1 were read
// completely: only then do they have entries.
const requested = `
	await new Promise((resolve) => {
		new PerformanceObserver(() => {
			const read = performance.getEntriesByType("resource").filter(({ name }) => name.endsWith($1));
			if (read.length >= $2) resolve();
		}).observe({ type: "resource", buffered: true });
	});`

// With the nginx configuration of docs/deploying.md a page can have more than six streams, and its
// calls still work, over HTTP/2.
func TestManyStreamsThroughTheNginxOfTheGuide(t *testing.T) {
	t.Parallel()
	inPageAlone(t, "it reads how the page's own requests went")
	const streams = 20
	service, gate := waiting(t)
	url := startNginx(t, guideCode(t, "deploying.md", "nginx")[0], strings.TrimPrefix(service.URL, "http://"))
	p := suite.Page(t, "about:blank")
	test.Call(p, security.SetIgnoreCertificateErrors, security.SetIgnoreCertificateErrorsParams{Ignore: true})
	p.Open(url + test.ModulePage)
	config := service.Config(t, "ada")
	config["baseUrl"] = url
	p.Do(`globalThis.sdk = new ChatSDK($1)`, config)
	p.Do(openStreams, streams)
	require.Equal(t, streams, test.Eval[int](p, `return (await sdk.listChats()).chats.length`))
	close(gate)
	p.Do(`await Promise.all(ends)`)
	p.Do(requested, "/v3/chat/message", streams)
	require.Equal(t, []string{"h2"}, test.Eval[[]string](p, `
		return [...new Set(performance.getEntriesByType("resource").map(({ nextHopProtocol }) => nextHopProtocol))]`))

	require.Less(t, test.Eval[float64](p, `
		const { encodedBodySize, decodedBodySize } = performance.getEntriesByName($1)[0];
		return encodedBodySize / decodedBodySize`, url+wasmPath), 0.4, "the module comes compressed")

	large := test.Eval[string](p, `
		const { document_key } = await sdk.uploadDocument(new File(["word ".repeat(1 << 19)], "large.txt"));
		return document_key`)
	require.NotEmpty(t, large, "2.5 MB pass")
}

// startNginx runs nginx with a configuration of a server for chat.example.com, with its own
// certificate, on a free port, in front of the service at address.
func startNginx(t *testing.T, config, address string) (url string) {
	t.Helper()
	program, err := exec.CommandContext(t.Context(), "sh", suite.File("js/test/nginx.sh")).Output()
	require.NoError(t, err, "js/test/nginx.sh prints why")
	folder := t.TempDir()
	certificate, key := selfSigned(t, folder)
	listen := freeAddress(t)
	for _, swap := range [][2]string{
		{"listen 443 ", "listen " + listen + " "},
		{"127.0.0.1:8080", address},
		{"/etc/ssl/chat.example.com.pem", certificate},
		{"/etc/ssl/chat.example.com.key", key},
	} {
		require.Equal(t, 1, strings.Count(config, swap[0]), swap[0])
		config = strings.Replace(config, swap[0], swap[1], 1)
	}
	main := "daemon off;\nerror_log stderr notice;\npid nginx.pid;\n"
	if os.Geteuid() == 0 {
		main += "user root;\n" // the workers read the test's folder
	}
	main += "events {}\nhttp {\naccess_log off;\n"
	for _, kind := range []string{"client_body", "proxy", "fastcgi", "uwsgi", "scgi"} {
		main += kind + "_temp_path " + kind + ";\n"
	}
	file := filepath.Join(folder, "nginx.conf")
	require.NoError(t, os.WriteFile(file, []byte(main+config+"}\n"), 0o600))

	command := exec.Command(strings.TrimSpace(string(program)), "-p", folder, "-c", file, "-e", "stderr")
	stderr, err := command.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, command.Start())
	log := &bytes.Buffer{}
	lines := bufio.NewScanner(io.TeeReader(stderr, log))
	ready := false
	for !ready && lines.Scan() {
		ready = strings.Contains(lines.Text(), "start worker process ") // it listens by then
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for lines.Scan() {
			// Until it has ended.
		}
		_ = command.Wait()
	}()
	t.Cleanup(func() {
		_ = command.Process.Signal(syscall.SIGTERM)
		<-ended
		if t.Failed() {
			t.Logf("log of nginx:\n%s", log)
		}
	})
	if !ready {
		<-ended
		t.Fatalf("nginx did not start:\n%s", log)
	}
	return "https://" + listen
}

// freeAddress returns an address at which nobody listens.
func freeAddress(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer listener.Close()
	return listener.Addr().String()
}

// selfSigned writes a certificate for 127.0.0.1 and its key.
func selfSigned(t *testing.T, folder string) (certificate, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "chat.example.com"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	public, err := x509.CreateCertificate(rand.Reader, template, template, private.Public(), private)
	require.NoError(t, err)
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	require.NoError(t, err)
	for name, block := range map[string]*pem.Block{
		"certificate.pem": {Type: "CERTIFICATE", Bytes: public}, "key.pem": {Type: "PRIVATE KEY", Bytes: secret},
	} {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), pem.EncodeToMemory(block), 0o600))
	}
	return filepath.Join(folder, "certificate.pem"), filepath.Join(folder, "key.pem")
}
