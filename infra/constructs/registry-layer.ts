import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Architecture, Code, LayerVersion } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';

/** The coin registry as `npm run registry` built it; functions find it in `/opt/registry`. */
export class RegistryLayer extends LayerVersion {
  constructor(scope: Construct, id: string, folder: string) {
    if (!existsSync(join(folder, 'registry/manifest.json'))) {
      throw new Error(
        `No coin registry in ${folder}/registry: run npm run registry -- --source simulated first`,
      );
    }
    super(scope, id, {
      description: 'Coin registry: a precompiled index',
      code: Code.fromAsset(folder),
      compatibleArchitectures: [Architecture.ARM_64],
    });
  }
}
