/** Entry of the CDK command: `cdk synth -c stage=hobby|dev|prod|local`, stage `dev` by default. */
import { App, Stack } from 'aws-cdk-lib';
import { BUNDLING_STACKS } from 'aws-cdk-lib/cx-api';
import { ConfigurationError } from '../shared/platform/environment.ts';
import { stageConfig } from './config.ts';
import { MarketDataStack } from './stack.ts';
import { validateOnSynth } from './validation.ts';

const app = new App();
const stage = String(app.node.tryGetContext('stage') ?? 'dev');
const name = `marketdata-${stage}`;
/** The stacks whose code the command needs: none for `bootstrap`, `list` and `destroy`, which work without a build. */
const stacks: readonly string[] = app.node.tryGetContext(BUNDLING_STACKS) ?? ['**'];

try {
  const config = stageConfig(stage);
  if (stacks.length === 0) {
    new Stack(app, name, { env: { account: config.account, region: config.region } });
  } else {
    validateOnSynth(app);
    new MarketDataStack(app, name, { stage, config });
  }
} catch (error) {
  if (!(error instanceof ConfigurationError)) throw error;
  console.error(error.message);
  process.exit(1); // the App would synthesize what there is
}
