/** The floor: what a process and a call cost before anything is done. */
export async function handler() {
  return { statusCode: 200, headers: { 'content-type': 'application/json' }, body: '{}' };
}
