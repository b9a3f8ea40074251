// `node check-health.mjs URL [CA]`: ends with 0 where the URL answers 200. For health checks of containers.
import { readFileSync } from 'node:fs';
import { get as getHttp } from 'node:http';
import { get as getHttps } from 'node:https';

const [url = '', caFile] = process.argv.slice(2);
const options = {
  timeout: 4_000,
  agent: false,
  ...(caFile === undefined ? {} : { ca: readFileSync(caFile) }),
};
const fail = (why) => {
  process.stderr.write(`${url}: ${why}\n`);
  process.exit(1);
};

const request = (url.startsWith('https:') ? getHttps : getHttp)(url, options, (response) => {
  if (response.statusCode !== 200) fail(`status ${response.statusCode}`);
  process.exit(0);
});
request.on('timeout', () => fail('no response in time'));
request.on('error', ({ message }) => fail(message));
