import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { readTemplate } from './template.ts';

const api = { Type: 'AWS::ApiGatewayV2::Api', Properties: {} };
const fn = {
  Type: 'AWS::Lambda::Function',
  Properties: { Handler: 'index.handler', Runtime: 'nodejs24.x' },
  Metadata: { 'aws:asset:path': 'asset.1' },
};
const integration = {
  Type: 'AWS::ApiGatewayV2::Integration',
  Properties: {
    IntegrationType: 'AWS_PROXY',
    IntegrationUri: { 'Fn::GetAtt': ['Fn1', 'Arn'] },
    PayloadFormatVersion: '2.0',
  },
};
const route = {
  Type: 'AWS::ApiGatewayV2::Route',
  Properties: { RouteKey: 'GET /a', Target: { 'Fn::Join': ['', ['integrations/', { Ref: 'Integration' }]] } },
};
const sound = { Api: api, Fn1: fn, Integration: integration, Route: route };

async function read(resources: object) {
  const folder = await mkdtemp(join(tmpdir(), 'marketdata-template-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const artifact = { type: 'aws:cloudformation:stack', properties: { templateFile: 's.template.json' } };
  await writeFile(join(folder, 'manifest.json'), JSON.stringify({ artifacts: { s: artifact } }));
  await writeFile(join(folder, 's.template.json'), JSON.stringify({ Resources: resources }));
  return { folder, template: readTemplate(folder) };
}

test('a template is read with CloudFormation’s own defaults', async () => {
  const { folder, template } = await read(sound);
  expect(template).toEqual({
    stack: 's',
    cors: undefined,
    routes: [{ key: 'GET /a', functionId: 'Fn1', timeoutMs: 30_000 }],
    functions: [
      {
        id: 'Fn1',
        name: 'Fn1',
        handler: 'index.handler',
        memoryMb: 128,
        timeoutSeconds: 3,
        environment: {},
        references: {},
        codeFolder: join(folder, 'asset.1'),
        layerFolders: [],
      },
    ],
    tables: [],
  });
});

test('a function of the CDK’s own resources is left out, because it runs only in deployments', async () => {
  const provider = { ...fn, Properties: { ...fn.Properties, Runtime: { 'Fn::FindInMap': ['Runtimes'] } } };
  const { template } = await read({
    ...sound,
    Provider: provider,
    Emptied: {
      Type: 'Custom::S3AutoDeleteObjects',
      Properties: { ServiceToken: { 'Fn::GetAtt': ['Provider', 'Arn'] } },
    },
  });

  expect(template.functions.map(({ id }) => id)).toEqual(['Fn1']);
});

test('a table is read with its keys, and a function with the variables that name one', async () => {
  const keySchema = [{ AttributeName: 'key', KeyType: 'HASH' }];
  const attributeDefinitions = [{ AttributeName: 'key', AttributeType: 'S' }];
  const table = {
    Type: 'AWS::DynamoDB::GlobalTable',
    Properties: { KeySchema: keySchema, AttributeDefinitions: attributeDefinitions },
  };
  const Environment = { Variables: { SHARED_TABLE: { Ref: 'Table' }, NODE_ENV: 'production' } };
  const Fn1 = { ...fn, Properties: { ...fn.Properties, Environment } };

  const { template } = await read({ ...sound, Fn1, Table: table });

  expect(template.tables).toEqual([{ id: 'Table', keySchema, attributeDefinitions }]);
  expect(template.functions[0]?.references).toEqual({ SHARED_TABLE: 'Table' });
});

test('an integration with an alias leads to the function of the alias’s version', async () => {
  const { template } = await read({
    ...sound,
    Fn2: fn,
    Version: { Type: 'AWS::Lambda::Version', Properties: { FunctionName: { Ref: 'Fn2' } } },
    Live: {
      Type: 'AWS::Lambda::Alias',
      Properties: {
        FunctionName: { Ref: 'Fn2' },
        FunctionVersion: { 'Fn::GetAtt': ['Version', 'Version'] },
        Name: 'live',
      },
    },
    Integration: {
      ...integration,
      Properties: { ...integration.Properties, IntegrationUri: { Ref: 'Live' } },
    },
  });

  expect(template.routes).toEqual([{ key: 'GET /a', functionId: 'Fn2', timeoutMs: 30_000 }]);
});

test.each([
  [
    { Integration: { ...integration, Properties: { IntegrationType: 'HTTP_PROXY' } } },
    'Integration (AWS::ApiGatewayV2::Integration) in the synthesized template: only AWS_PROXY',
  ],
  [{ Route: { ...route, Properties: { RouteKey: 'GET /a', Target: 'x' } } }, 'Target does not point to one'],
])('an error about what cannot be served names the resource: %#', async (change, problem) => {
  await expect(read({ ...sound, ...change })).rejects.toThrow(problem);
});

test('a folder without a synthesized template says what to run', () => {
  expect(() => readTemplate('/nowhere')).toThrow('run npm run build and npm run synth');
});
