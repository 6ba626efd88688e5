/** The key of a route in API Gateway's notation. */
export function routeKeyOf({
  method,
  path,
  adapter,
}: {
  readonly method: string;
  readonly path: string;
  readonly adapter?: unknown;
}): string {
  return path === '$default' ? path : `${adapter ? 'ANY' : method} ${path}`;
}
