/**
 * A request that ends without an answer: its stream is reset, or its connection closed, as by Go's http.ErrAbortHandler. For where
 * kube-apiserver panics; clients that rely on an answer there have never got one.
 */
export class AbortedHandler extends Error {}
