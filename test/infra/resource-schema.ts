import { loadAwsServiceSpecSync } from '@aws-cdk/aws-service-spec';
import type { Property, PropertyType } from '@aws-cdk/service-spec-types';
import { isRecord } from '../../local/resources.ts';

interface Template {
  readonly Resources?: Readonly<
    Record<string, { readonly Type: string; readonly Properties?: Readonly<Record<string, unknown>> }>
  >;
}

const spec = loadAwsServiceSpecSync();

/**
 * What CloudFormation would refuse of a template's resources by their schemas, as lines such as
 * `Firewall.Scope: "EDGE" is none of CLOUDFRONT, REGIONAL`. What only the deployment knows (`Ref`, `Fn::…`) fits
 * everywhere.
 */
export function problemsOf({ Resources = {} }: Template): string[] {
  return Object.entries(Resources).flatMap(([id, { Type, Properties = {} }]) => [
    ...ofResource(id, Type, Properties),
    ...emptyLists(id, Properties),
  ]);
}

function* ofResource(id: string, type: string, properties: Readonly<Record<string, unknown>>) {
  if (type.startsWith('Custom::')) {
    // Its other properties are for its own function, which CloudFormation only hands them to.
    if (!('ServiceToken' in properties)) yield `${id}.ServiceToken: is required`;
    return;
  }
  const [resource] = spec.lookup('resource', 'cloudFormationType', 'equals', type);
  if (resource) yield* ofFields(id, properties, resource.properties);
  else yield `${id}: there is no type ${type}`;
}

function* ofFields(
  at: string,
  given: Readonly<Record<string, unknown>>,
  known: Readonly<Record<string, Property>>,
): Generator<string> {
  for (const [name, { required }] of Object.entries(known))
    if (required && !(name in given)) yield `${at}.${name}: is required`;
  for (const [name, value] of Object.entries(given)) {
    const property = known[name];
    if (property) yield* ofValue(`${at}.${name}`, value, property.type);
    else yield `${at}.${name}: there is no such property`;
  }
}

function* ofValue(at: string, value: unknown, type: PropertyType): Generator<string> {
  if (isIntrinsic(value)) return;
  switch (type.type) {
    case 'json':
      return;
    case 'ref':
      if (isRecord(value)) yield* ofFields(at, value, spec.get('typeDefinition', type.reference).properties);
      else yield `${at}: is not an object`;
      return;
    case 'tag':
      return yield* ofValue(at, value, { type: 'map', element: { type: 'string' } });
    case 'map':
      if (!isRecord(value)) return yield `${at}: is not an object`;
      for (const [key, item] of Object.entries(value)) yield* ofValue(`${at}.${key}`, item, type.element);
      return;
    case 'array':
      if (!Array.isArray(value)) return yield `${at}: is not a list`;
      for (const [index, item] of value.entries()) yield* ofValue(`${at}.${index}`, item, type.element);
      return;
    case 'union':
      if (type.types.every((one) => [...ofValue(at, value, one)].length > 0))
        yield `${at}: ${JSON.stringify(value)} fits none of its ${type.types.length} types`;
      return;
    default:
      if (!isOf(type.type, value)) yield `${at}: ${JSON.stringify(value)} is no ${type.type}`;
      else if (
        'allowedValues' in type &&
        type.allowedValues &&
        !type.allowedValues.some((one) => one === value)
      )
        yield `${at}: ${JSON.stringify(value)} is none of ${type.allowedValues.join(', ')}`;
  }
}

function isOf(type: string, value: unknown): boolean {
  if (type === 'integer') return Number.isInteger(value);
  if (type === 'null') return value === null;
  return typeof value === (type === 'date-time' ? 'string' : type);
}

function isIntrinsic(value: unknown): boolean {
  const [name, ...others] = isRecord(value) ? Object.keys(value) : [];
  return name !== undefined && others.length === 0 && (name === 'Ref' || name.startsWith('Fn::'));
}

/**
 * Schemas know no fewest items of a list, and many APIs refuse a list of none. As none here means anything that its
 * absence would not, there is to be none.
 */
function* emptyLists(at: string, value: unknown): Generator<string> {
  if (Array.isArray(value) && value.length === 0) yield `${at}: is an empty list`;
  if (typeof value !== 'object' || value === null) return;
  for (const [key, item] of Object.entries(value)) yield* emptyLists(`${at}.${key}`, item);
}
