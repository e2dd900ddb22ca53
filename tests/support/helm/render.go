// Renders a chart as `helm template` does, where helm is not installed: Go's own templates with the same functions.
//
//	render CHART VALUES.yaml RELEASE NAMESPACE
//
// It knows what this repository's chart uses of helm: include, required, toYaml, .Files.Get and the built-in objects.
package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"text/template"

	"github.com/Masterminds/sprig"
	"gopkg.in/yaml.v3"
)

type files struct{ folder string }

func (f files) Get(name string) string {
	content, _ := os.ReadFile(filepath.Join(f.folder, name))
	return string(content)
}

func readYaml(path string) map[string]interface{} {
	content, err := os.ReadFile(path)
	stopOn(err)
	parsed := map[string]interface{}{}
	stopOn(yaml.Unmarshal(content, &parsed))
	return parsed
}

// merge lays `over` over `base`, maps into maps, as helm lays one file of values over another.
func merge(base, over map[string]interface{}) map[string]interface{} {
	for name, value := range over {
		if below, is := value.(map[string]interface{}); is {
			if there, is := base[name].(map[string]interface{}); is {
				base[name] = merge(there, below)
				continue
			}
		}
		base[name] = value
	}
	return base
}

func toYaml(value interface{}) string {
	var text bytes.Buffer
	encoder := yaml.NewEncoder(&text)
	encoder.SetIndent(2)
	stopOn(encoder.Encode(value))
	return strings.TrimSuffix(text.String(), "\n")
}

func stopOn(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func main() {
	chart, over, release, namespace := os.Args[1], os.Args[2], os.Args[3], os.Args[4]
	described := readYaml(filepath.Join(chart, "Chart.yaml"))
	root := map[string]interface{}{
		"Values":  merge(readYaml(filepath.Join(chart, "values.yaml")), readYaml(over)),
		"Release": map[string]interface{}{"Name": release, "Namespace": namespace, "Service": "Helm"},
		"Chart": map[string]interface{}{
			"Name": described["name"], "Version": described["version"], "AppVersion": described["appVersion"],
		},
		"Files": files{chart},
	}
	templates := template.New("chart").Option("missingkey=zero")
	functions := sprig.TxtFuncMap()
	functions["toYaml"] = toYaml
	functions["include"] = func(name string, data interface{}) (string, error) {
		var text bytes.Buffer
		err := templates.ExecuteTemplate(&text, name, data)
		return text.String(), err
	}
	functions["required"] = func(message string, value interface{}) (interface{}, error) {
		if value == nil || value == "" {
			return nil, errors.New(message)
		}
		return value, nil
	}
	templates.Funcs(functions)
	names, err := filepath.Glob(filepath.Join(chart, "templates", "*"))
	stopOn(err)
	for _, name := range names {
		content, err := os.ReadFile(name)
		stopOn(err)
		template.Must(templates.New(filepath.Base(name)).Parse(string(content)))
	}
	for _, name := range names {
		base := filepath.Base(name)
		if !strings.HasSuffix(base, ".yaml") {
			continue
		}
		var text bytes.Buffer
		stopOn(templates.ExecuteTemplate(&text, base, root))
		fmt.Printf("---\n# Source: %s\n%s\n", base, text.String())
	}
}
