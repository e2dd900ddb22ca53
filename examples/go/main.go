// A conversation with memory from Go, with the standard library alone: append a turn, read a context.
//
//	export TURNFOLD_GATEWAY_URL=http://127.0.0.1:8321 TURNFOLD_GATEWAY_KEY=tfk_…
//	go run examples/go/main.go
package main

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"time"
)

// Turn is one message of a conversation. A turn whose ID is known already changes nothing.
type Turn struct {
	Role    string `json:"role"`
	Content string `json:"content"`
	ID      string `json:"turn_id"`
}

// Context is what to put before a model.
type Context struct {
	Text    string   `json:"text"`
	Tokens  int      `json:"tokens"`
	Markers []string `json:"markers"`
}

// Problem is how the gateway refuses (RFC 9457): Detail says why, Remedy what to do.
type Problem struct {
	Status int    `json:"status"`
	Detail string `json:"detail"`
	Remedy string `json:"remedy"`
}

func (problem *Problem) Error() string { return problem.Detail + " (" + problem.Remedy + ")" }

// Client talks to one gateway with one key.
type Client struct {
	BaseURL, Key string
	HTTP         http.Client
}

// Append stores turns, in order. It is safe to repeat: the ids are those of the turns.
func (client *Client) Append(conversation string, turns ...Turn) error {
	body := map[string]interface{}{"turns": turns}
	return client.post("/v1/conversations/"+url.PathEscape(conversation)+"/turns", body, nil)
}

// Context reads a context of at most `budget` tokens.
func (client *Client) Context(conversation string, budget int) (*Context, error) {
	body := map[string]interface{}{"budget_tokens": budget}
	read := new(Context)
	return read, client.post("/v1/conversations/"+url.PathEscape(conversation)+"/context", body, read)
}

// post tries three times: all requests here may be repeated.
func (client *Client) post(path string, body, answer interface{}) error {
	encoded, err := json.Marshal(body)
	if err != nil {
		return err
	}
	for attempt := 0; ; attempt++ {
		err, again := client.once(path, encoded, answer)
		if err == nil || !again || attempt == 2 {
			return err
		}
		time.Sleep(200 * time.Millisecond << attempt)
	}
}

func (client *Client) once(path string, body []byte, answer interface{}) (err error, again bool) {
	request, err := http.NewRequest(http.MethodPost, client.BaseURL+path, bytes.NewReader(body))
	if err != nil {
		return err, false
	}
	request.Header.Set("Authorization", "Bearer "+client.Key)
	request.Header.Set("Content-Type", "application/json")
	response, err := client.HTTP.Do(request)
	if err != nil {
		return err, true
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return err, true
	}
	if response.StatusCode >= 300 {
		problem := &Problem{Status: response.StatusCode, Detail: string(text)}
		_ = json.Unmarshal(text, problem)
		return problem, problem.Status == http.StatusTooManyRequests || problem.Status >= 502
	}
	if answer == nil {
		return nil, false
	}
	return json.Unmarshal(text, answer), false
}

func newID() string {
	random := make([]byte, 16)
	if _, err := rand.Read(random); err != nil {
		panic(err)
	}
	return hex.EncodeToString(random)
}

func main() {
	client := &Client{
		BaseURL: os.Getenv("TURNFOLD_GATEWAY_URL"),
		Key:     os.Getenv("TURNFOLD_GATEWAY_KEY"),
		HTTP:    http.Client{Timeout: 10 * time.Second},
	}
	conversation := "go-" + newID()
	turn := Turn{Role: "user", Content: "We must use PostgreSQL, no exceptions.", ID: newID()}
	if err := client.Append(conversation, turn); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	context, err := client.Context(conversation, 500)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Printf("%d tokens:\n%s\n", context.Tokens, context.Text)
}
