import { createHash, createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
import { GetObjectCommand, ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { accessOfLambda, awsRequests } from './aws-requests.ts';

const SECRET = 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY';
const access = {
  region: 'eu-central-1',
  credentials: { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: SECRET, sessionToken: 'a+session/token==' },
};

const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest();
const sha256 = (text: string | Buffer) => createHash('sha256').update(text).digest('hex');

/** Every byte but letters, digits and `-._~` in hexadecimal capitals, as the description has it. */
const uriEncoded = (text: string) =>
  [...Buffer.from(text)]
    .map((byte) => {
      const character = String.fromCharCode(byte);
      return /[\w.~-]/.test(character) ? character : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
    })
    .join('');
/** S3 does not sign what it received, but its own spelling of the same names. */
const spelledAnew = (sent: string) => uriEncoded(decodeURIComponent(sent));

/** Signature Version 4 as a server checks it, written from its description (AWS IAM User Guide, "SigV4"). */
function isSigned({ method, url = '', headers }: IncomingMessage, body: Buffer): boolean {
  const [, scope = '', names = '', signature] =
    /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/(\S+), SignedHeaders=(\S+), Signature=(\w+)$/.exec(
      headers.authorization ?? '',
    ) ?? [];
  const [path = '', query = ''] = url.split('?');
  const pairs =
    query === '' ? [] : query.split('&').map((pair) => pair.split('=').map(spelledAnew).join('='));
  const canonical = [
    method,
    path.split('/').map(spelledAnew).join('/'),
    pairs.sort().join('&'),
    ...names.split(';').map((name) => `${name}:${headers[name]}`),
    '',
    names,
    headers['x-amz-content-sha256'] ?? sha256(body),
  ].join('\n');
  const key = scope.split('/').reduce<string | Buffer>(hmac, `AWS4${SECRET}`);
  const text = ['AWS4-HMAC-SHA256', headers['x-amz-date'], scope, sha256(canonical)].join('\n');
  return signature === hmac(key, text).toString('hex');
}

describe('a signed request', () => {
  let server: Server;
  let endpoint: string;
  let seen: { readonly signed: boolean; readonly request: IncomingMessage; readonly body: string }[];

  beforeEach(async () => {
    seen = [];
    server = createServer(async (request, response) => {
      const body = Buffer.concat(await request.toArray());
      seen.push({ signed: isSigned(request, body), request, body: body.toString() });
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // TCP, so never a string
  });
  afterEach(() => {
    vi.unstubAllEnvs();
    server.close();
    server.closeAllConnections();
  });

  const limits = { timeoutMs: 15_000, maxBytes: 1000 };
  const signatures = () => seen.map(({ signed }) => signed);

  it('of the AWS SDK passes the check that ours are measured by, and a changed one does not', async () => {
    // The SDK marks the credentials that it is given.
    const given = { region: access.region, credentials: { ...access.credentials }, endpoint };
    const s3 = new S3Client({ ...given, forcePathStyle: true });
    await s3.send(new GetObjectCommand({ Bucket: 'bucket', Key: 'snapshot/a b+c' }));
    const dynamoDb = new DynamoDBClient(given);
    await dynamoDb.send(new GetItemCommand({ TableName: 'table', Key: { key: { S: 'ä' } } }));
    expect(signatures()).toEqual([true, true]);

    const [first] = seen;
    if (!first) throw new Error('no request');
    first.request.headers['x-amz-date'] = '20261122T000000Z';
    expect(isSigned(first.request, Buffer.from(first.body))).toBe(false);
  });

  it('for an object of S3 has the headers of its caller and of the session', async () => {
    const headers = { 'if-none-match': '"1"' };
    const answer = await awsRequests(
      's3',
      endpoint,
      access,
    )({ path: '/bucket/snapshot/tickers.v4', headers, ...limits });
    expect(answer.status).toBe(200);
    expect(signatures()).toEqual([true]);
    expect(seen[0]?.request.headers).toMatchObject({
      'if-none-match': '"1"',
      'x-amz-security-token': access.credentials.sessionToken,
    });
  });

  describe('for a name in S3', () => {
    const query = (prefix: string) => ({ 'list-type': '2', prefix });
    /** Reads an object of that name and lists names that begin with it, with our requests and with the vendor's. */
    async function readAndList(name: string): Promise<void> {
      const send = awsRequests('s3', endpoint, access);
      await send({ path: `/bucket/${name}`, ...limits });
      await send({ path: '/bucket/', query: query(name), ...limits });
      const credentials = { ...access.credentials };
      const vendor = new S3Client({ region: access.region, credentials, endpoint, forcePathStyle: true });
      await vendor.send(new GetObjectCommand({ Bucket: 'bucket', Key: name }));
      await vendor.send(new ListObjectsV2Command({ Bucket: 'bucket', Prefix: name })).catch(() => {}); // an answer in JSON
      vendor.destroy();
    }
    const urls = () => seen.map(({ request }) => request.url?.replace(/[?&]x-id=\w+/, ''));
    const path = (name: string) => `/bucket/${name.split('/').map(uriEncoded).join('/')}`;
    const list = (name: string) => `/bucket/?list-type=2&prefix=${uriEncoded(name)}`;

    it.each([
      'snapshot/tickers.v4',
      ...['toto-totoro-inu-?', '战旗-战旗', 'mobilecoin', '-doggotothemoon', 'xch-chia-', 'bork-bork-SOL'],
      ...[
        'a b',
        ' a',
        'a+b',
        'a%b',
        'a%21b',
        '~a',
        'a!b',
        "it's",
        '(a)',
        'a*b',
        "~!'()*",
        'a&b=c;d,e',
        'a#b@c:d$e',
      ],
      ...[
        'a"b<c>d\\e^f`g{h|i}',
        'é',
        '🚀',
        'a\tb',
        'history/coins.v1/~toto-totoro-inu-%3F',
        "coins.v1/~%E6%88%98'!",
      ],
    ])('is signed as S3 checks it, and sent as the vendor’s client sends it: %s', async (name) => {
      await readAndList(name);
      expect(signatures()).toEqual([true, true, true, true]);
      expect(urls()).toEqual([path(name), list(name), path(name), list(name)]);
    });

    it('is signed as S3 checks it, whatever it is made of', async () => {
      const part = fc
        .string({ unit: 'grapheme', minLength: 1, maxLength: 12 })
        .filter((text) => !/^\.\.?$|\//.test(text));
      const send = awsRequests('s3', endpoint, access);
      await fc.assert(
        fc.asyncProperty(fc.array(part, { minLength: 1, maxLength: 3 }), async (parts) => {
          seen.length = 0;
          const name = parts.join('/').toWellFormed();
          await send({ path: `/bucket/${name}`, ...limits });
          await send({ path: '/bucket/', query: query(name), ...limits });
          expect(signatures()).toEqual([true, true]);
          expect(urls()).toEqual([path(name), list(name)]);
        }),
      );
    });
  });

  it('with a body is signed with it', async () => {
    const body = JSON.stringify({ TableName: 'table', Key: { key: { S: 'ä' } } });
    const headers = { 'x-amz-target': 'DynamoDB_20120810.GetItem' };
    await awsRequests('dynamodb', endpoint, access)({ path: '/', headers, body, ...limits });
    expect(seen).toMatchObject([{ signed: true, body, request: { method: 'POST' } }]);
  });

  it('does without a session, as with the keys of a user', async () => {
    const { sessionToken: _token, ...credentials } = access.credentials;
    await awsRequests('s3', endpoint, { ...access, credentials })({ path: '/bucket/name', ...limits });
    expect(signatures()).toEqual([true]);
  });

  it('takes region, credentials and endpoint from the environment of a function', async () => {
    vi.stubEnv('AWS_REGION', access.region);
    vi.stubEnv('AWS_ACCESS_KEY_ID', access.credentials.accessKeyId);
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', SECRET);
    vi.stubEnv('AWS_SESSION_TOKEN', access.credentials.sessionToken);
    vi.stubEnv('AWS_ENDPOINT_URL_S3', endpoint);
    expect(accessOfLambda('s3')).toEqual({ ...access, endpoint });
    expect(accessOfLambda('dynamodb').endpoint).toBeUndefined();
  });

  it('is not made without a region', () => {
    vi.stubEnv('AWS_REGION', '');
    expect(() => accessOfLambda('s3')).toThrow('AWS_REGION is not set, which Lambda sets for every function');
  });
});
