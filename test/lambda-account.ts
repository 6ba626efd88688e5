import { createServer, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';

/** A function of the stack, with what `scripts/versions.ts` may ask about it and change. */
export interface AccountFunction {
  /** What `live` points to. */
  live: string;
  /** Versions that get a part of the requests of `live`, with their share. */
  weights?: Record<string, number>;
  /** Other aliases, with their versions. */
  readonly others?: Readonly<Record<string, string>>;
  /** Version → when it was published, as Lambda writes it. */
  readonly versions: Record<string, string>;
  /** The version that the stack's template made; the newest one unless told. */
  readonly deployed?: string;
  /** Whether the credentials may not change it. */
  readonly denied?: boolean;
}

export interface Account {
  readonly url: string;
  readonly functions: Record<string, AccountFunction>;
  /** Requests that change something, in their order. */
  readonly changes: string[];
}

interface Answer {
  readonly status?: number;
  readonly body: string | object;
  readonly errorType?: string;
}

/** No page holds more, so that nobody gets by with the first one. */
const PAGE = 2;

/**
 * An AWS account on loopback with the one stack `marketdata-test`: of CloudFormation's query protocol ListStackResources,
 * of Lambda's REST protocol what has to do with aliases and versions. It stands in for AWS, which no test can reach, and
 * answers as the two services' references say; nobody but the SDK has checked that AWS does.
 */
export async function startAccount(functions: Record<string, AccountFunction>): Promise<Account> {
  const changes: string[] = [];
  const server = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
    const body = await text(request);
    if (request.method === 'PUT' || request.method === 'DELETE')
      changes.push(
        `${request.method} ${pathname.replace('/2015-03-31/functions/', '')}${request.method === 'PUT' ? ` ${body}` : `?${searchParams}`}`,
      );
    const answer =
      pathname === '/'
        ? cloudFormation(new URLSearchParams(body), functions)
        : lambda(request, pathname.split('/').slice(3), searchParams, body, functions);
    response.writeHead(answer.status ?? 200, {
      'content-type': typeof answer.body === 'string' ? 'text/xml' : 'application/json',
      ...(answer.errorType && { 'x-amzn-errortype': answer.errorType }),
    });
    response.end(typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the account listens on a port');
  return { url: `http://127.0.0.1:${address.port}`, functions, changes };
}

function cloudFormation(query: URLSearchParams, functions: Record<string, AccountFunction>): Answer {
  const stack = query.get('StackName');
  if (query.get('Action') !== 'ListStackResources' || stack !== 'marketdata-test') {
    const message = `Stack with id ${stack} does not exist`;
    return {
      status: 400,
      body: `<ErrorResponse xmlns="http://cloudformation.amazonaws.com/doc/2010-05-15/"><Error><Type>Sender</Type><Code>ValidationError</Code><Message>${message}</Message></Error><RequestId>1</RequestId></ErrorResponse>`,
    };
  }
  const arn = (name: string, qualifier: string) =>
    `arn:aws:lambda:eu-central-1:123456789012:function:${name}:${qualifier}`;
  const resources = Object.entries(functions).flatMap(([name, { versions, deployed }]) => [
    ['AWS::Lambda::Function', name, 'UPDATE_COMPLETE'],
    ['AWS::Lambda::Version', arn(name, deployed ?? newest(versions)), 'UPDATE_COMPLETE'],
    ['AWS::Lambda::Version', arn(name, '1'), 'DELETE_SKIPPED'],
    ['AWS::Lambda::Alias', arn(name, 'live'), 'UPDATE_COMPLETE'],
  ]);
  const { page, next } = pageOf(resources, query.get('NextToken'));
  const members = page.map(
    ([type, id, status]) =>
      `<member><ResourceType>${type}</ResourceType><PhysicalResourceId>${id}</PhysicalResourceId><ResourceStatus>${status}</ResourceStatus></member>`,
  );
  return {
    body: `<ListStackResourcesResponse xmlns="http://cloudformation.amazonaws.com/doc/2010-05-15/"><ListStackResourcesResult><StackResourceSummaries>${members.join('')}</StackResourceSummaries>${next ? `<NextToken>${next}</NextToken>` : ''}</ListStackResourcesResult></ListStackResourcesResponse>`,
  };
}

/** `path` is what follows `/2015-03-31/functions/`: `<name>`, `<name>/versions`, `<name>/aliases/<alias>`. */
function lambda(
  { method }: IncomingMessage,
  path: readonly string[],
  query: URLSearchParams,
  body: string,
  functions: Record<string, AccountFunction>,
): Answer {
  const [name = '', kind, alias] = path;
  const found = functions[name];
  const missing = {
    status: 404,
    errorType: 'ResourceNotFoundException',
    body: { Message: 'Function not found' },
  };
  if (!found) return missing;
  if (found.denied && method !== 'GET')
    return { status: 403, errorType: 'AccessDeniedException', body: { Message: `may not touch ${name}` } };

  if (method === 'DELETE') {
    const version = query.get('Qualifier');
    if (version === null) throw new Error(`the whole function ${name} would be gone`);
    delete found.versions[version];
    return { status: 204, body: '' };
  }
  if (kind === 'versions') {
    const all = [['$LATEST', '2026-11-22T09:00:00.000+0000'], ...Object.entries(found.versions)];
    const { page, next } = pageOf(all, query.get('Marker'));
    return {
      body: {
        Versions: page.map(([Version, LastModified]) => ({ Version, LastModified })),
        NextMarker: next,
      },
    };
  }
  if (alias === undefined) {
    const { page, next } = pageOf(
      [...Object.entries(found.others ?? {}), ['live', found.live]],
      query.get('Marker'),
    );
    return {
      body: {
        Aliases: page.map(([Name = '', version = '']) => describe(Name, version, found)),
        NextMarker: next,
      },
    };
  }
  if (method === 'PUT') {
    const { FunctionVersion, RoutingConfig } = JSON.parse(body);
    if (!(FunctionVersion in found.versions)) return missing;
    found.live = FunctionVersion;
    found.weights = RoutingConfig.AdditionalVersionWeights;
  }
  return { body: describe('live', found.live, found) };
}

function describe(name: string, version: string, { weights }: AccountFunction) {
  return {
    Name: name,
    FunctionVersion: version,
    ...(name === 'live' && weights && { RoutingConfig: { AdditionalVersionWeights: weights } }),
  };
}

const newest = (versions: AccountFunction['versions']) =>
  String(Math.max(...Object.keys(versions).map(Number)));

function pageOf<Item>(items: readonly Item[], token: string | null) {
  const start = Number(token ?? 0);
  const next = start + PAGE < items.length ? String(start + PAGE) : undefined;
  return { page: items.slice(start, start + PAGE), next };
}
