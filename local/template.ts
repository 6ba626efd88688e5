/** The deployment that `cdk deploy` would ship, read from the cloud assembly: the API's routes and their functions. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SECRET_REFERENCE } from '../shared/platform/fetched-secret.ts';
import { type CorsConfiguration, readCors } from './cors.ts';
import {
  assetFolder,
  isRecord,
  list,
  number,
  type Resource,
  referenced,
  referencedIds,
  refuse,
  resourcesOf,
  TemplateError,
  text,
} from './resources.ts';

export interface TemplateRoute {
  /** As API Gateway writes it: `GET /a/{id}` or `$default`. */
  readonly key: string;
  readonly functionId: string;
  readonly timeoutMs: number;
}

export interface TemplateFunction {
  /** Logical id in the template. */
  readonly id: string;
  readonly name: string;
  readonly handler: string;
  readonly memoryMb: number;
  readonly timeoutSeconds: number;
  /** A value known only to a deployment, such as a secret's, is undefined. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Variable → logical id of the resource whose name it holds. */
  readonly references: Readonly<Record<string, string>>;
  readonly codeFolder: string;
  readonly layerFolders: readonly string[];
}

export interface TemplateTable {
  /** Logical id in the template. */
  readonly id: string;
  readonly keySchema: readonly unknown[];
  readonly attributeDefinitions: readonly unknown[];
}

export interface ServiceTemplate {
  readonly stack: string;
  readonly cors: CorsConfiguration | undefined;
  readonly routes: readonly TemplateRoute[];
  readonly functions: readonly TemplateFunction[];
  readonly tables: readonly TemplateTable[];
}

/**
 * Reads the one stack with an HTTP API from a cloud assembly (`cdk.out`). Throws TemplateError with the logical id for
 * anything that the local service cannot serve.
 */
export function readTemplate(assembly: string): ServiceTemplate {
  const path = join(assembly, 'manifest.json');
  if (!existsSync(path)) {
    throw new TemplateError(`No synthesized template in ${assembly}: run npm run build and npm run synth`);
  }
  // The manifest instead of the folder's listing: the CDK leaves templates of earlier runs in place.
  const manifest = JSON.parse(readFileSync(path, 'utf8')) as Manifest; // written by the CDK
  const withApi = Object.entries(manifest.artifacts ?? {}).flatMap(([stack, { type, properties }]) => {
    if (type !== 'aws:cloudformation:stack' || !properties?.templateFile) return [];
    const file = join(assembly, properties.templateFile);
    const resources = resourcesOf(JSON.parse(readFileSync(file, 'utf8')));
    const apis = resources.filter(isOf('AWS::ApiGatewayV2::Api'));
    return apis.length > 0 ? [{ stack, resources, apis }] : [];
  });
  const [found, ...others] = withApi;
  if (!found || others.length > 0) {
    const names = withApi.map(({ stack }) => stack).join(', ') || 'none';
    throw new TemplateError(`${assembly} must hold one stack with an HTTP API; it has: ${names}`);
  }
  const { stack, resources, apis } = found;
  const [api, ...otherApis] = apis;
  if (!api || otherApis.length > 0) throw new TemplateError(`Stack ${stack} has more than one HTTP API`);
  // Functions of the CDK's own resources run only during a deployment, never for a request or on a schedule.
  const deploying = new Set(
    resources.flatMap(({ properties }) => [...referencedIds(properties.ServiceToken)]),
  );
  const functions = resources.filter(isOf('AWS::Lambda::Function')).filter(({ id }) => !deploying.has(id));
  return {
    stack,
    cors: readCors(api),
    routes: resources.filter(isOf('AWS::ApiGatewayV2::Route')).map((route) => readRoute(route, resources)),
    functions: functions.map((fn) => readFunction(fn, resources, assembly)),
    tables: resources.filter(isOf('AWS::DynamoDB::GlobalTable')).map((table) => ({
      id: table.id,
      keySchema: list(table, 'KeySchema'),
      attributeDefinitions: list(table, 'AttributeDefinitions'),
    })),
  };
}

interface Manifest {
  readonly artifacts?: Readonly<
    Record<string, { readonly type: string; readonly properties?: { readonly templateFile?: string } }>
  >;
}

function isOf(type: string) {
  return (resource: Resource) => resource.type === type;
}

function readRoute(route: Resource, all: Resource[]): TemplateRoute {
  const key = text(route, 'RouteKey');
  if (key !== '$default' && !/^[A-Z]+ \/\S*$/.test(key)) {
    return refuse(route, `RouteKey "${key}" is neither $default nor a method and a path`);
  }
  const integration = referenced(route, 'Target', 'AWS::ApiGatewayV2::Integration', all);
  const type = text(integration, 'IntegrationType');
  const version = text(integration, 'PayloadFormatVersion', '');
  if (type !== 'AWS_PROXY' || version !== '2.0') {
    return refuse(integration, `only AWS_PROXY with payload format 2.0 runs locally, not ${type} ${version}`);
  }
  const functionId = functionOf(integration, all).id;
  return { key, functionId, timeoutMs: number(integration, 'TimeoutInMillis', 30_000) };
}

/** The function behind an integration, also through an alias and a version. */
function functionOf(integration: Resource, all: Resource[]): Resource {
  const ids = new Set(referencedIds(integration.properties.IntegrationUri));
  const alias = all.filter(isOf('AWS::Lambda::Alias')).find(({ id }) => ids.has(id));
  if (!alias) return referenced(integration, 'IntegrationUri', 'AWS::Lambda::Function', all);
  const version = referenced(alias, 'FunctionVersion', 'AWS::Lambda::Version', all);
  return referenced(version, 'FunctionName', 'AWS::Lambda::Function', all);
}

function readFunction(fn: Resource, all: Resource[], assembly: string): TemplateFunction {
  const runtime = text(fn, 'Runtime', '');
  if (!runtime.startsWith('nodejs')) return refuse(fn, `Runtime "${runtime}" is not a nodejs one`);
  const layers = list(fn, 'Layers', []).map((layer) =>
    referenced(fn, 'Layers', 'AWS::Lambda::LayerVersion', all, layer),
  );
  return {
    id: fn.id,
    // The CDK ends a logical id with eight hexadecimal digits of its path's hash.
    name: text(fn, 'FunctionName', fn.id.replace(/(?<=.)[0-9A-F]{8}$/, '')),
    handler: text(fn, 'Handler'),
    memoryMb: number(fn, 'MemorySize', 128),
    timeoutSeconds: number(fn, 'Timeout', 3),
    ...readEnvironment(fn),
    codeFolder: assetFolder(fn, 'Code', assembly),
    layerFolders: layers.map((layer) => assetFolder(layer, 'Content', assembly)),
  };
}

function readEnvironment(fn: Resource): Pick<TemplateFunction, 'environment' | 'references'> {
  const { Environment = {} } = fn.properties;
  const variables = isRecord(Environment) ? (Environment.Variables ?? {}) : undefined;
  if (!isRecord(variables)) return refuse(fn, 'Environment.Variables is not an object');
  const environment: Record<string, string | undefined> = {};
  const references: Record<string, string> = {};
  for (const [name, value] of Object.entries(variables)) {
    if (typeof value !== 'string' && !isRecord(value))
      refuse(fn, `Environment variable ${name} is not a text`);
    environment[name] = typeof value === 'string' && !isOfSecret(value) ? value : undefined;
    if (isRecord(value) && typeof value.Ref === 'string') references[name] = value.Ref;
  }
  return { environment, references };
}

/** The variable names a secret, resolved by CloudFormation or fetched by the function. */
function isOfSecret(value: string): boolean {
  return value.includes('{{resolve:') || value.startsWith(SECRET_REFERENCE);
}
