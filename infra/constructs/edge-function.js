import cf from 'cloudfront';

// The runtime knows ES 5.1 with const, let, template literals, arrow functions and async functions: no destructuring,
// spread or for-of, and no closures in async functions.
// biome-ignore lint/style/useNodejsImportProtocol: the runtime is not Node's, and knows this name alone.
const crypto = require('crypto');

/**
 * Sorts the parameters and drops names that begin with `_` (or its code, %5F), which the API ignores. Unknown names stay, because the
 * API refuses them.
 */
// biome-ignore lint/correctness/noUnusedVariables: CloudFront calls it.
async function handler(event) {
  const request = event.request;
  const key = takeKey(request);
  const digest = crypto.createHash('sha256').update(key).digest('hex');
  const client = await clientOf(digest);
  request.headers[CACHE_CLASS_HEADER] = { value: client === '' ? digest : 'named' };
  request.headers[CLIENT_HEADER] = { value: client === '' ? GIVEN_KEY + key : KNOWN_NAME + client };
  request.querystring = sorted(request.querystring);
  return request;
}

/** Text that cannot be a key counts as none, so that no header ever contains it. */
function takeKey(request) {
  let key = keyInHeaders(request.headers);
  const isGet = request.method === 'GET' || request.method === 'HEAD';
  if (isGet && KEY_PARAMETER_PATHS.some((path) => request.uri.indexOf(path) === 0))
    key = takeFromQuery(request.querystring, key);
  KEY_HEADERS.forEach((name) => {
    delete request.headers[name];
  });
  return /^[ -~]{1,512}$/.test(key) ? key : '';
}

function keyInHeaders(headers) {
  let key = '';
  KEY_HEADERS.forEach((name) => {
    const given = headers[name];
    if (key !== '' || !given || (given.multiValue && given.multiValue.length > 1)) return;
    const bearer = /^bearer +(.*)$/i.exec(given.value);
    if (name !== 'authorization') key = given.value;
    else if (bearer) key = bearer[1];
  });
  return key;
}

function takeFromQuery(query, earlier) {
  let key = earlier;
  KEY_PARAMETERS.forEach((name) => {
    Object.keys(query).forEach((written) => {
      if (decoded(written) !== name) return;
      if (key === '') key = decoded(query[written].value);
      delete query[written];
    });
  });
  return key;
}

function decoded(text) {
  try {
    return decodeURIComponent(text.replace(/\+/g, ' '));
  } catch (_error) {
    return '';
  }
}

/** The stored client of a key; empty for an unknown or expired key. */
async function clientOf(digest) {
  try {
    const client = await cf.kvs().get(digest);
    const expires = client.split(';')[2];
    return expires !== '' && Date.now() >= Number(expires) ? '' : client;
  } catch (_error) {
    return '';
  }
}

function sorted(query) {
  const pairs = [];
  Object.keys(query).forEach((name) => {
    if (/^(_|%5f)/i.test(name)) return;
    const given = query[name].multiValue || [query[name]];
    given.forEach((one) => {
      pairs.push(`${name}=${one.value}`);
    });
  });
  return pairs.sort().join('&');
}
