/** The resources of a CloudFormation template that the CDK has written. */
import { resolve } from 'node:path';
import type { CorsConfiguration } from '../http-api/cors.ts';
import { isRecord } from '../shared/platform/is-record.ts';

export interface Resource {
  /** Logical id in the template. */
  readonly id: string;
  readonly type: string;
  readonly properties: Properties;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** The properties that the local service reads, as in CloudFormation's resource reference, and others. */
interface Properties {
  readonly [name: string]: unknown;
  readonly CorsConfiguration?: CorsConfiguration;
  readonly RouteKey?: string;
  readonly IntegrationType?: string;
  readonly PayloadFormatVersion?: string;
  readonly TimeoutInMillis?: number;
  readonly FunctionName?: string;
  readonly Handler?: string;
  readonly MemorySize?: number;
  readonly Timeout?: number;
  readonly Environment?: { readonly Variables?: Readonly<Record<string, unknown>> };
  readonly Layers?: readonly unknown[];
  readonly KeySchema?: readonly unknown[];
  readonly AttributeDefinitions?: readonly unknown[];
}

interface Template {
  readonly Resources: Readonly<
    Record<string, { readonly Type: string; readonly Properties?: Properties; readonly Metadata?: object }>
  >;
}

export class TemplateError extends Error {
  override readonly name = 'TemplateError';
}

export function refuse(resource: Resource, problem: string): never {
  throw new TemplateError(`${resource.id} (${resource.type}) in the synthesized template: ${problem}`);
}

/** The resources of a template's text. */
export function resourcesOf(template: string): Resource[] {
  const { Resources } = JSON.parse(template) as Template; // written by the CDK
  return Object.entries(Resources).map(([id, { Type: type, Properties = {}, Metadata = {} }]) => {
    return { id, type, properties: Properties, metadata: { ...Metadata } };
  });
}

export function ofType(all: readonly Resource[], type: string): Resource[] {
  return all.filter((resource) => resource.type === type);
}

/** The resource of a type that a property, or a part of it, refers to. Throws TemplateError if there is none. */
export function referenced(
  from: Resource,
  name: string,
  type: string,
  all: readonly Resource[],
  value = from.properties[name],
): Resource {
  const ids = new Set(referencedIds(value));
  const found = ofType(all, type).find(({ id }) => ids.has(id));
  return found ?? refuse(from, `${name} does not point to one ${type}`);
}

/** The logical ids in a value: in `Ref`, `Fn::GetAtt`, or a text around them. */
export function* referencedIds(value: unknown): Generator<string> {
  if (Array.isArray(value)) for (const item of value) yield* referencedIds(item);
  if (!isRecord(value)) return;
  if (typeof value.Ref === 'string') yield value.Ref;
  const attribute = value['Fn::GetAtt'];
  if (Array.isArray(attribute) && typeof attribute[0] === 'string') yield attribute[0];
  if (value['Fn::Join']) yield* referencedIds(value['Fn::Join']);
}

/** The folder of a function's code or a layer's content in the cloud assembly. */
export function assetFolder({ metadata, properties }: Resource, property: string, assembly: string): string {
  const path = metadata['aws:asset:path'];
  if (typeof path === 'string') return resolve(assembly, path);
  // Without the CLI's asset metadata, the staged folder still follows from its key in the bucket.
  const code = properties[property];
  const key = isRecord(code) ? String(code.S3Key) : '';
  return resolve(assembly, `asset.${key.replace(/\.zip$/, '')}`);
}
