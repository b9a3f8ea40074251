import 'node:http2';
import 'node:https';
import { connect, createServer } from 'node:net';

// The memory of a bare Node program with the modules of a tunnel: it joins connections of a Unix socket with those to a port.
const [path, port] = process.argv.slice(2);
const server = createServer((client) => {
  const destination = connect(Number(port), '127.0.0.1');
  for (const each of [client, destination]) each.on('error', () => each.destroy());
  client.pipe(destination).pipe(client);
});
server.listen(path, () => process.stdout.write('the bare program listens\n'));
