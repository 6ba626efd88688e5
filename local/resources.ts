/** Reads CloudFormation resources without trusting their shape: an error names the logical id. */
import { resolve } from 'node:path';

export interface Resource {
  readonly id: string;
  readonly type: string;
  readonly properties: Readonly<Record<string, unknown>>;
  readonly metadata: Readonly<Record<string, unknown>>;
}

export class TemplateError extends Error {
  override readonly name = 'TemplateError';
}

export function refuse(resource: Resource, problem: string): never {
  throw new TemplateError(`${resource.id} (${resource.type}) in the synthesized template: ${problem}`);
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The resources of a parsed template. */
export function resourcesOf(template: unknown): Resource[] {
  const resources = isRecord(template) ? template.Resources : undefined;
  if (!isRecord(resources)) throw new TemplateError('The synthesized template has no Resources');
  return Object.entries(resources).map(([id, resource]) => {
    if (!isRecord(resource) || typeof resource.Type !== 'string') {
      throw new TemplateError(`${id} in the synthesized template has no Type`);
    }
    const { Type: type, Properties: properties, Metadata: metadata } = resource;
    return {
      id,
      type,
      properties: isRecord(properties) ? properties : {},
      metadata: isRecord(metadata) ? metadata : {},
    };
  });
}

export function text(resource: Resource, name: string, fallback?: string): string {
  const value = resource.properties[name] ?? fallback;
  return typeof value === 'string' ? value : refuse(resource, `${name} is not a text`);
}

export function number(resource: Resource, name: string, fallback: number): number {
  const value = resource.properties[name] ?? fallback;
  return typeof value === 'number' ? value : refuse(resource, `${name} is not a number`);
}

export function list(resource: Resource, name: string, fallback?: readonly unknown[]): readonly unknown[] {
  const value = resource.properties[name] ?? fallback;
  return Array.isArray(value) ? value : refuse(resource, `${name} is not a list`);
}

/** The one resource of a type that a property, or a part of it, refers to: by `Ref`, `Fn::GetAtt` or a text around them. */
export function referenced(
  from: Resource,
  name: string,
  type: string,
  all: Resource[],
  value = from.properties[name],
): Resource {
  const ids = new Set(referencedIds(value));
  const [found, ...others] = all.filter((resource) => resource.type === type && ids.has(resource.id));
  if (!found || others.length > 0) return refuse(from, `${name} does not point to one ${type}`);
  return found;
}

/** The logical ids in a value. */
export function* referencedIds(value: unknown): Generator<string> {
  if (Array.isArray(value)) for (const item of value) yield* referencedIds(item);
  if (!isRecord(value)) return;
  if (typeof value.Ref === 'string') yield value.Ref;
  const attribute = value['Fn::GetAtt'];
  if (Array.isArray(attribute) && typeof attribute[0] === 'string') yield attribute[0];
  if (value['Fn::Join']) yield* referencedIds(value['Fn::Join']);
}

/** The folder of a function's code or a layer's content in the cloud assembly. */
export function assetFolder(resource: Resource, property: string, assembly: string): string {
  const path = resource.metadata['aws:asset:path'];
  if (typeof path === 'string') return resolve(assembly, path);
  // Without the CLI's asset metadata, the staged folder still follows from its key in the bucket.
  const code = resource.properties[property];
  const key = isRecord(code) ? code.S3Key : undefined;
  if (typeof key !== 'string') return refuse(resource, `${property} is not an asset of the CDK`);
  return resolve(assembly, `asset.${key.replace(/\.zip$/, '')}`);
}
