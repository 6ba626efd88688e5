import type { Answer } from './answer.ts';
import type { Plan } from './plan.ts';

/** `/key/info`: the key's plan and its requests of the month, -1 if they have no limit. */
export function keyInfo(plan: Plan, made: number, most: number): Answer {
  const isLimited = Number.isFinite(most);
  const info = {
    plan: plan === 'paid' ? 'enterprise' : plan,
    plan_started_at: '2022-09-16T10:17:24Z',
    plan_status: 'active',
    portal_url: 'https://coinpaprika.com/api/panel',
    usage: {
      message: isLimited ? 'limited plan' : 'unlimited plan',
      current_month: {
        requests_made: isLimited ? made : -1,
        requests_left: isLimited ? most - made : -1,
      },
    },
  };
  return { status: 200, headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(info) };
}
