/** The floor: the cost of a process and a call that do nothing. */
export async function handler() {
  return { statusCode: 200, headers: { 'content-type': 'application/json' }, body: '{}' };
}
