// Load on the service from many clients, in a process of its own. Prints autocannon's measurements as JSON.
import net from 'node:net';
import autocannon from 'autocannon';

const REQUESTS_PER_CLIENT = 100;
const { url, paths, headers, connections, seconds } = JSON.parse(process.argv[2] ?? '{}');

// A client may make 100 requests a minute, and the service identifies clients by the connection's address. So every
// connection comes from an address of its own in 127.0.0.0/8, all of which is loopback on Linux, and is closed after
// 100 requests. autocannon has no option for that address; it calls net.connect(port, host).
const { connect } = net;
let clients = 0;
net.connect = (port, host) => {
  clients += 1;
  const localAddress = `127.${1 + (clients >> 16)}.${(clients >> 8) & 255}.${clients & 255}`;
  return connect({ port, host, localAddress });
};

const { requests, latency, errors, statusCodeStats } = await autocannon({
  url,
  headers,
  requests: paths.map((path) => ({ path })),
  connections,
  duration: seconds,
  reconnectRate: REQUESTS_PER_CLIENT,
});
console.log(JSON.stringify({ requests, latency, errors, statusCodeStats, clients }));
