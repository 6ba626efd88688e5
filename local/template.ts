/** The deployment that `cdk deploy` would ship, read from the cloud assembly: the API's routes and the functions behind them. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SECRET_REFERENCE } from '../shared/platform/fetched-secret.ts';
import { type CorsConfiguration, readCors } from './cors.ts';
import {
  assetFolder,
  isRecord,
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
  /** A value that only a deployment knows, such as a secret's, is undefined. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Variable → logical id of the resource that it is the name of. */
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
 * Reads the one stack with an HTTP API from a cloud assembly (`cdk.out`).
 * Throws TemplateError, naming the logical id, on anything that the local service cannot serve.
 */
export function readTemplate(assembly: string): ServiceTemplate {
  const stacks = stacksOf(assembly).map(({ stack, file }) => ({
    stack,
    resources: resourcesOf(JSON.parse(readFileSync(join(assembly, file), 'utf8'))),
  }));
  const withApi = stacks.filter(({ resources }) => ofType(resources, 'AWS::ApiGatewayV2::Api').length > 0);
  const [found, ...others] = withApi;
  if (!found || others.length > 0) {
    const names = withApi.map(({ stack }) => stack).join(', ') || 'none';
    throw new TemplateError(`${assembly} must hold one stack with an HTTP API; it has: ${names}`);
  }
  const { stack, resources } = found;
  // Functions of the CDK's own resources run while a deployment is under way, and never for a request or on a schedule.
  const deploying = new Set(
    resources.flatMap(({ properties }) => [...referencedIds(properties.ServiceToken)]),
  );
  const [api, ...otherApis] = ofType(resources, 'AWS::ApiGatewayV2::Api');
  if (!api || otherApis.length > 0) throw new TemplateError(`Stack ${stack} has more than one HTTP API`);
  return {
    stack,
    cors: readCors(api),
    routes: ofType(resources, 'AWS::ApiGatewayV2::Route').map((route) => readRoute(route, resources)),
    functions: ofType(resources, 'AWS::Lambda::Function')
      .filter(({ id }) => !deploying.has(id))
      .map((fn) => readFunction(fn, resources, assembly)),
    tables: ofType(resources, 'AWS::DynamoDB::GlobalTable').map(readTable),
  };
}

function stacksOf(assembly: string): { stack: string; file: string }[] {
  const path = join(assembly, 'manifest.json');
  if (!existsSync(path)) {
    throw new TemplateError(`No synthesized template in ${assembly}: run npm run build and npm run synth`);
  }
  // The manifest, and not the folder's listing: the CDK leaves templates of earlier runs where they are.
  const manifest: unknown = JSON.parse(readFileSync(path, 'utf8'));
  const artifacts = isRecord(manifest) && isRecord(manifest.artifacts) ? manifest.artifacts : {};
  return Object.entries(artifacts).flatMap(([stack, artifact]) => {
    if (!isRecord(artifact) || artifact.type !== 'aws:cloudformation:stack') return [];
    const file = isRecord(artifact.properties) ? artifact.properties.templateFile : undefined;
    return typeof file === 'string' ? [{ stack, file }] : [];
  });
}

function ofType(resources: Resource[], type: string): Resource[] {
  return resources.filter((resource) => resource.type === type);
}

function readRoute(route: Resource, all: Resource[]): TemplateRoute {
  const key = text(route, 'RouteKey');
  if (key !== '$default' && !/^[A-Z]+ \/\S*$/.test(key)) {
    return refuse(route, `RouteKey "${key}" is neither $default nor a method and a path`);
  }
  const target = route.properties.Target;
  const integration = referenced(route, 'Target', target, 'AWS::ApiGatewayV2::Integration', all);
  const [type, version] = [
    text(integration, 'IntegrationType'),
    text(integration, 'PayloadFormatVersion', ''),
  ];
  if (type !== 'AWS_PROXY' || version !== '2.0') {
    return refuse(integration, `only AWS_PROXY with payload format 2.0 runs locally, not ${type} ${version}`);
  }
  return {
    key,
    functionId: functionOf(integration, all).id,
    timeoutMs: number(integration, 'TimeoutInMillis', 30_000),
  };
}

/** The function behind an integration, also through an alias and a version. */
function functionOf(integration: Resource, all: Resource[]): Resource {
  const uri = integration.properties.IntegrationUri;
  const ids = new Set(referencedIds(uri));
  const alias = all.find(({ id, type }) => type === 'AWS::Lambda::Alias' && ids.has(id));
  if (!alias) return referenced(integration, 'IntegrationUri', uri, 'AWS::Lambda::Function', all);
  const { FunctionVersion } = alias.properties;
  const version = referenced(alias, 'FunctionVersion', FunctionVersion, 'AWS::Lambda::Version', all);
  return referenced(version, 'FunctionName', version.properties.FunctionName, 'AWS::Lambda::Function', all);
}

function readFunction(fn: Resource, all: Resource[], assembly: string): TemplateFunction {
  const runtime = text(fn, 'Runtime', '');
  if (!runtime.startsWith('nodejs')) return refuse(fn, `Runtime "${runtime}" is not a nodejs one`);
  const layers = fn.properties.Layers ?? [];
  if (!Array.isArray(layers)) return refuse(fn, 'Layers is not a list');
  return {
    id: fn.id,
    // The CDK ends a logical id with eight hexadecimal digits of its path's hash.
    name: text(fn, 'FunctionName', fn.id.replace(/(?<=.)[0-9A-F]{8}$/, '')),
    handler: text(fn, 'Handler'),
    memoryMb: number(fn, 'MemorySize', 128),
    timeoutSeconds: number(fn, 'Timeout', 3),
    environment: readEnvironment(fn),
    references: readReferences(fn),
    codeFolder: assetFolder(fn, 'Code', assembly),
    layerFolders: layers.map((layer) =>
      assetFolder(referenced(fn, 'Layers', layer, 'AWS::Lambda::LayerVersion', all), 'Content', assembly),
    ),
  };
}

function readEnvironment(fn: Resource): Record<string, string | undefined> {
  const environment = fn.properties.Environment ?? {};
  const variables = isRecord(environment) ? (environment.Variables ?? {}) : undefined;
  if (!isRecord(variables)) return refuse(fn, 'Environment.Variables is not an object');
  return Object.fromEntries(
    Object.entries(variables).map(([name, value]) => {
      if (typeof value === 'string') return [name, isOfSecret(value) ? undefined : value];
      return isRecord(value) ? [name, undefined] : refuse(fn, `Environment variable ${name} is not a text`);
    }),
  );
}

/** Names a secret, resolved by CloudFormation or fetched by the function. */
function isOfSecret(value: string): boolean {
  return value.includes('{{resolve:') || value.startsWith(SECRET_REFERENCE);
}

/** The variables that are nothing but `Ref`. */
function readReferences(fn: Resource): Record<string, string> {
  const environment = fn.properties.Environment;
  const variables = isRecord(environment) && isRecord(environment.Variables) ? environment.Variables : {};
  return Object.fromEntries(
    Object.entries(variables).flatMap(([name, value]) =>
      isRecord(value) && typeof value.Ref === 'string' ? [[name, value.Ref]] : [],
    ),
  );
}

function readTable(table: Resource): TemplateTable {
  const { KeySchema: keySchema, AttributeDefinitions: attributeDefinitions } = table.properties;
  if (!Array.isArray(keySchema) || !Array.isArray(attributeDefinitions)) {
    return refuse(table, 'KeySchema or AttributeDefinitions is not a list');
  }
  return { id: table.id, keySchema, attributeDefinitions };
}
