/** Entry of the CDK command: `cdk synth -c stage=dev|prod|local [-c canary=false]`, stage `dev` unless told. */
import { App } from 'aws-cdk-lib';
import { stageConfig, withoutCanary } from './config.ts';
import { MarketDataStack } from './stack.ts';
import { validateOnSynth } from './validation.ts';

const app = new App();
const stage = String(app.node.tryGetContext('stage') ?? 'dev');
const config = withoutCanary(stageConfig(stage), app.node.tryGetContext('canary'));

validateOnSynth(app);
new MarketDataStack(app, `marketdata-${stage}`, { stage, config });
