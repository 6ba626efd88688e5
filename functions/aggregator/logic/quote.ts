import { shown } from '../../../shared/evm/values.ts';
import { ApiError } from '../../../shared/http/errors.ts';
import { invalidParameter } from '../../../shared/http/middleware/input.ts';
import { SharedLoads } from '../../../shared/platform/caches.ts';
import type { JsonObject } from '../../../shared/platform/json-fields.ts';
import { type Answer, readAnswer } from './answer.ts';
import { type QuoteData, quoteData, transactionData } from './data.ts';
import { type Order, parametersOf, type Question } from './question.ts';
import { readTransaction } from './transaction.ts';
import type { ApiResponse, Zerox } from './zerox.ts';

/**
 * 0x charges by the request, and a page requests the same price again and again while the user types. A block takes up to
 * twelve seconds. Transactions are never cached.
 */
const prices = new SharedLoads<ApiResponse<QuoteData>>(3_000, 200);

/** A price, or a firm quote for an order. Throws 404 without liquidity, 400 below the caller's minimum, otherwise as Zerox. */
export function quote(zerox: Zerox, question: Question, deadline: number): Promise<ApiResponse<QuoteData>> {
  if (question.order) return firm(zerox, question, question.order, deadline);
  const parameters = parametersOf(question);
  const read = (json: JsonObject) => {
    const answer = answerTo(question, json);
    return { ...quoteData(question, answer, answer.gas), transaction: null };
  };
  return prices.get(String(parameters), () => zerox('price', parameters, read, deadline));
}

async function firm(
  zerox: Zerox,
  question: Question,
  order: Order,
  deadline: number,
): Promise<ApiResponse<QuoteData>> {
  const firmQuote = async (slippageBps: number) => {
    const read = (json: JsonObject) => {
      const answer = answerTo(question, json);
      const call = readTransaction(question, answer, slippageBps);
      const transaction = transactionData(question, order, answer, call);
      return { answer, data: { ...quoteData(question, answer, call.gas), transaction } };
    };
    const { data, isSimulated } = await zerox('quote', parametersOf(question, slippageBps), read, deadline);
    return { ...data.answer, quoted: { data: data.data, isSimulated } };
  };
  const wanted = order.minAmountOut;
  const first = await firmQuote(order.slippageBps);
  if (wanted === undefined || first.minAmountOut >= wanted) return first.quoted;
  let reachable = first.amountOut;
  if (reachable >= wanted) {
    // The price is good enough: with less slippage 0x's minimum is high enough too.
    const second = await firmQuote(Number(((reachable - wanted) * 10_000n) / reachable));
    if (second.minAmountOut >= wanted) return second.quoted;
    reachable = second.minAmountOut;
  }
  throw invalidParameter('minAmountOut', String(wanted), `at most ${reachable}, what the swap brings now`);
}

/** Throws 404 if there is no liquidity, and an Error if the response does not match the request. */
function answerTo(question: Question, json: JsonObject): Answer {
  const answer = readAnswer(question, json);
  if (answer) return answer;
  const { chain, tokenIn, tokenOut } = question;
  const way = `from ${shown(chain, tokenIn)} to ${shown(chain, tokenOut)} on ${chain.name}`;
  throw ApiError.notFound(`0x finds no liquidity for this amount ${way}`);
}
