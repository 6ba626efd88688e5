import { endpoint } from '../../../shared/http/endpoint.ts';
import { wholeAnswer } from '../../../shared/http/middleware/envelope.ts';
import { readSecret } from '../../../shared/platform/environment.ts';
import { answerTo } from '../protocol.ts';
import { requestOf } from '../request.ts';
import { runTool } from '../run-tool.ts';
import { route } from './route.ts';

export const handler = endpoint(
  route,
  async (_input, { event, deadline }) => {
    const request = requestOf(event, route.maxBodyBytes);
    const response = await answerTo(request, (tool, given) => runTool(tool, given, { event, deadline }));
    return {
      statusCode: response.status,
      headers: Object.fromEntries(response.headers),
      body: await response.text(),
    };
  },
  readSecret,
  wholeAnswer,
);
