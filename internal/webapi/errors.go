package webapi

import (
	"errors"
	"net/http"
	"strconv"

	"almoner/internal/fault"
	"almoner/internal/schema"
	"almoner/internal/value"
)

// errorResponse is the one place that turns an error into an answer. Causes and anything that is not a fault stay inside; the
// caller logs them.
func (r *Request) errorResponse(err error) *Response {
	e := fault.As(err)
	resp := r.jsonResponse(e.Status, r.errorBody(e))
	resp.Header.Set("REQ_ID", r.ID.String())
	if e.Retry > 0 {
		resp.Header.Set("Retry-After", strconv.Itoa(e.Retry))
	}
	if e.Status == http.StatusMethodNotAllowed {
		resp.Header.Set("Allow", r.allow)
	}
	return resp
}

func (r *Request) errorBody(e *fault.Error) []byte {
	b := append([]byte(`{"error":{"code":`), strconv.Quote(e.Code.String())...)
	b = value.AppendJSON(append(b, `,"message":`...), e.Message)
	if r.Prefer.wants("Microsoft.PowerApps.CDS.ErrorDetails.HttpStatusCode") {
		b = value.AppendJSON(append(b, `,"@Microsoft.PowerApps.CDS.ErrorDetails.ApiExceptionHttpStatusCode":`...), strconv.Itoa(e.Status))
		b = value.AppendJSON(append(b, `,"@Microsoft.PowerApps.CDS.ErrorDetails.ApiActivityIdKey":`...), r.ID.String())
		b = value.AppendJSON(append(b, `,"@Microsoft.PowerApps.CDS.TraceText":`...), e.TraceText())
		b = value.AppendJSON(append(b, `,"@Microsoft.PowerApps.CDS.InnerError.Message":`...), e.Message)
	}
	b = value.AppendJSON(append(b, `,"innererror":{"message":`...), e.Message)
	b = append(b, `,"type":"Microsoft.Crm.CrmHttpException","stacktrace":"","trace":`...)
	b = value.AppendJSON(b, traceOf(e))
	return append(b, "}}}"...)
}

// traceOf says who refused; a fault without a trace was refused by the request's own syntax.
func traceOf(e *fault.Error) string {
	if text := e.TraceText(); text != "" {
		return text
	}
	return "request"
}

// refusedAt names the table in the trace of a refusal that names nothing.
func refusedAt(err error, t *schema.Table) error {
	var e *fault.Error
	if errors.As(err, &e) && len(e.Trace) == 0 {
		e.At(t.Name)
	}
	return err
}
