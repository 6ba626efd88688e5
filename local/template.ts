/** The deployment that `cdk deploy` would ship, read from the cloud assembly: the API's routes and their functions. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CorsConfiguration } from '../http-api/cors.ts';
import type { ServedRoute } from '../http-api/gateway.ts';
import { SECRET_REFERENCE } from '../shared/platform/fetched-secret.ts';
import { isRecord } from '../shared/platform/is-record.ts';
import {
  assetFolder,
  ofType,
  type Resource,
  referenced,
  referencedIds,
  refuse,
  resourcesOf,
  TemplateError,
} from './resources.ts';

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
  readonly routes: readonly ServedRoute[];
  readonly functions: readonly TemplateFunction[];
  readonly tables: readonly TemplateTable[];
}

/**
 * Reads the one stack with an HTTP API from a cloud assembly (`cdk.out`). Throws TemplateError if there is none, or it has
 * something that the local service cannot serve.
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
    const resources = resourcesOf(readFileSync(join(assembly, properties.templateFile), 'utf8'));
    return ofType(resources, 'AWS::ApiGatewayV2::Api').map((api) => ({ stack, resources, api }));
  });
  const [found, ...others] = withApi;
  if (!found || others.length > 0) {
    const names = withApi.map(({ stack }) => stack).join(', ') || 'none';
    throw new TemplateError(`${assembly} must hold one stack with an HTTP API; it has: ${names}`);
  }
  const { stack, resources, api } = found;
  // Functions of the CDK's own resources run only during a deployment, never for a request or on a schedule.
  const deploying = new Set(
    resources.flatMap(({ properties }) => [...referencedIds(properties.ServiceToken)]),
  );
  const functions = ofType(resources, 'AWS::Lambda::Function').filter(({ id }) => !deploying.has(id));
  return {
    stack,
    cors: api.properties.CorsConfiguration,
    routes: ofType(resources, 'AWS::ApiGatewayV2::Route').map((route) => readRoute(route, resources)),
    functions: functions.map((fn) => readFunction(fn, resources, assembly)),
    tables: ofType(resources, 'AWS::DynamoDB::GlobalTable').map(({ id, properties }) => {
      const { KeySchema: keySchema = [], AttributeDefinitions: attributeDefinitions = [] } = properties;
      return { id, keySchema, attributeDefinitions };
    }),
  };
}

interface Manifest {
  readonly artifacts?: Readonly<
    Record<string, { readonly type: string; readonly properties?: { readonly templateFile?: string } }>
  >;
}

function readRoute(route: Resource, all: readonly Resource[]): ServedRoute {
  const integration = referenced(route, 'Target', 'AWS::ApiGatewayV2::Integration', all);
  const { IntegrationType, PayloadFormatVersion, TimeoutInMillis = 30_000 } = integration.properties;
  if (IntegrationType !== 'AWS_PROXY' || PayloadFormatVersion !== '2.0')
    return refuse(integration, 'only AWS_PROXY with payload format 2.0 runs locally');
  const { RouteKey: key = '' } = route.properties;
  return { key, functionId: functionOf(integration, all).id, timeoutMs: TimeoutInMillis };
}

/** The function behind an integration, also through an alias and a version. */
function functionOf(integration: Resource, all: readonly Resource[]): Resource {
  const ids = new Set(referencedIds(integration.properties.IntegrationUri));
  const alias = ofType(all, 'AWS::Lambda::Alias').find(({ id }) => ids.has(id));
  if (!alias) return referenced(integration, 'IntegrationUri', 'AWS::Lambda::Function', all);
  const version = referenced(alias, 'FunctionVersion', 'AWS::Lambda::Version', all);
  return referenced(version, 'FunctionName', 'AWS::Lambda::Function', all);
}

function readFunction(fn: Resource, all: readonly Resource[], assembly: string): TemplateFunction {
  const { FunctionName, Handler = '', MemorySize = 128, Timeout = 3, Layers = [] } = fn.properties;
  const layers = Layers.map((layer) => referenced(fn, 'Layers', 'AWS::Lambda::LayerVersion', all, layer));
  return {
    id: fn.id,
    // The CDK ends a logical id with eight hexadecimal digits of its path's hash.
    name: FunctionName ?? fn.id.replace(/(?<=.)[0-9A-F]{8}$/, ''),
    handler: Handler,
    memoryMb: MemorySize,
    timeoutSeconds: Timeout,
    ...readEnvironment(fn),
    codeFolder: assetFolder(fn, 'Code', assembly),
    layerFolders: layers.map((layer) => assetFolder(layer, 'Content', assembly)),
  };
}

function readEnvironment({ properties }: Resource): Pick<TemplateFunction, 'environment' | 'references'> {
  const environment: Record<string, string | undefined> = {};
  const references: Record<string, string> = {};
  for (const [name, value] of Object.entries(properties.Environment?.Variables ?? {})) {
    environment[name] = typeof value === 'string' && !isOfSecret(value) ? value : undefined;
    if (isRecord(value) && typeof value.Ref === 'string') references[name] = value.Ref;
  }
  return { environment, references };
}

/** The variable names a secret, resolved by CloudFormation or fetched by the function. */
function isOfSecret(value: string): boolean {
  return value.includes('{{resolve:') || value.startsWith(SECRET_REFERENCE);
}
