import type { Step } from '../step.ts';

const methods = 'POST, GET, OPTIONS, PUT, DELETE, PATCH';
const requestHeaders =
  'Content-Type, Content-Length, Accept-Encoding, X-CSRF-Token, Authorization, X-Requested-With, If-Modified-Since';

/** Allows web pages of these origins to send requests (CORS), with kube-apiserver's headers. Responds to their preflight requests. */
export const allowOrigins = (isAllowed: (origin: string) => boolean = () => false): Step => ({
  name: 'allowOrigins',
  run(request, next) {
    const { origin } = request.req.headers;
    if (origin === undefined || !isAllowed(origin)) return next(request);
    const { res } = request;
    res.setHeader('Access-Control-Allow-Origin', origin);
    res.setHeader('Access-Control-Allow-Methods', methods);
    res.setHeader('Access-Control-Allow-Headers', requestHeaders);
    res.setHeader('Access-Control-Expose-Headers', 'Date');
    res.setHeader('Access-Control-Allow-Credentials', 'true');
    // Browsers send no credentials with a preflight request.
    if (request.req.method !== 'OPTIONS') return next(request);
    res.writeHead(204, { 'Audit-Id': request.auditId, 'Cache-Control': 'no-cache, private' });
    res.end();
  },
});
