/**
 * Ends a request without a response: resets its stream, or closes its connection, like Go's
 * http.ErrAbortHandler. For cases in which kube-apiserver panics, so that clients never receive a response
 * there either.
 */
export class AbortedHandler extends Error {}
