/** Validates every 200 against its route's response schema, so that the documented API is the real one. */
import type { TSchema } from 'typebox';
import { compileResponse } from '../shared/http/compile-schemas.ts';
import { findByPath } from '../shared/http/path-pattern.ts';
import type { Adapter } from '../shared/http/route.ts';
import { isRecord } from '../shared/platform/is-record.ts';
import type { GatewayResponse } from './response.ts';
import { routeKeyOf } from './route-key.ts';

export interface CheckedRoute {
  readonly method: string;
  readonly path: string;
  readonly response: TSchema;
  readonly envelope?: false;
  readonly adapter?: Adapter;
}

export type ResponseCheck = (routeKey: string, path: string, response: GatewayResponse) => string[];

/** The compiled schemas of all services of this process. */
const compiled = new WeakMap<TSchema, (data: unknown) => string[]>();

/** A function that lists the problems of a response; empty for other statuses and unknown routes. */
export function createResponseCheck(routes: readonly CheckedRoute[]): ResponseCheck {
  const schemas = new Map(
    routes
      .filter(({ path, envelope }) => path !== '$default' && envelope !== false)
      .map((route) => [routeKeyOf(route), route.response]),
  );
  const adapted: Record<string, TSchema> = Object.fromEntries(
    routes
      .flatMap(({ adapter }) => adapter?.routes ?? [])
      .flatMap(({ path, response }) => (typeof response === 'string' ? [] : [[path, response]])),
  );

  return (routeKey, path, response) => {
    const whole = findByPath(adapted, path)?.found;
    const schema = whole ?? schemas.get(routeKey);
    if (!schema || response.status !== 200) return [];
    const check = compiled.get(schema) ?? compileResponse(schema);
    compiled.set(schema, check);
    const envelope = parse(response.body);
    // A HEAD has no body.
    if (whole) return response.body.length === 0 ? [] : check(envelope);
    if (!isRecord(envelope) || envelope.success !== true || !('data' in envelope)) {
      return ['the body is not {"success":true,"data":…}'];
    }
    return check(envelope.data);
  };
}

function parse(body: Buffer | string): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    return undefined;
  }
}
