// Package proxies prints the proxies that net/http and client-go choose for each case of standard input: one case a line, in JSON.
package proxies

import (
	"encoding/json"
	"net/url"
	"os"

	"annex.example.com/e2e/clients/lines"
	"golang.org/x/net/http/httpproxy"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/clientcmd/api"
)

// Variables of the environment that choose a proxy.
var variables = []string{
	"HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "NO_PROXY", "no_proxy", "ALL_PROXY", "all_proxy", "REQUEST_METHOD",
}

type testCase struct {
	Server   string            `json:"server"`
	Env      map[string]string `json:"env"`
	ProxyURL string            `json:"proxyUrl"`
}

type reading struct {
	// The proxy that the environment names, or the error.
	Env   *proxy `json:"env"`
	Error string `json:"error"`
	// Whether the variable of the server's scheme is invalid, which net/http ignores.
	Invalid bool `json:"invalid"`
	// The error of a kubeconfig with the proxy-url of the case.
	Kubeconfig string `json:"kubeconfig"`
	// The proxy of that kubeconfig.
	Configured *proxy `json:"configured"`
}

type proxy struct {
	Scheme   string `json:"scheme"`
	Host     string `json:"host"`
	Port     string `json:"port"`
	User     string `json:"user"`
	Password string `json:"password"`
}

// Run reads until the end of standard input.
func Run([]string) error {
	return lines.Answer(func(line []byte) (reading, error) {
		var each testCase
		if err := json.Unmarshal(line, &each); err != nil {
			return reading{}, err
		}
		return read(each)
	})
}

func read(each testCase) (reading, error) {
	server, err := url.Parse(each.Server)
	if err != nil {
		return reading{}, err
	}
	for _, name := range variables {
		if value := each.Env[name]; value != "" {
			os.Setenv(name, value)
		} else {
			os.Unsetenv(name)
		}
	}
	var result reading
	// http.ProxyFromEnvironment is this function, for the first environment only.
	chosen, err := httpproxy.FromEnvironment().ProxyFunc()(server)
	if err != nil {
		result.Error = err.Error()
	}
	result.Env = describe(chosen)
	result.Invalid = isInvalid(server.Scheme, httpproxy.FromEnvironment())
	if each.ProxyURL == "" {
		return result, nil
	}
	cluster := &api.Cluster{Server: each.Server, ProxyURL: each.ProxyURL}
	config := api.NewConfig()
	config.Clusters["c"] = cluster
	config.Contexts["c"] = &api.Context{Cluster: "c"}
	config.CurrentContext = "c"
	client, err := clientcmd.NewDefaultClientConfig(*config, nil).ClientConfig()
	if err != nil {
		result.Kubeconfig = err.Error()
		return result, nil
	}
	configured, err := client.Proxy(nil)
	result.Configured = describe(configured)
	return result, err
}

func isInvalid(scheme string, config *httpproxy.Config) bool {
	value := config.HTTPProxy
	if scheme == "https" {
		value = config.HTTPSProxy
	}
	_, err := url.Parse(value)
	_, ofHost := url.Parse("http://" + value)
	return err != nil && ofHost != nil
}

func describe(chosen *url.URL) *proxy {
	if chosen == nil {
		return nil
	}
	password, _ := chosen.User.Password()
	return &proxy{chosen.Scheme, chosen.Hostname(), chosen.Port(), chosen.User.Username(), password}
}
