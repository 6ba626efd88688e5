declare module '*.css';

/** The part of the renderer that the page uses; its package has no types. */
declare module 'swagger-ui-dist/swagger-ui-es-bundle.js' {
  export type Element = object;
  export type Props = Readonly<Record<string, unknown>>;
  export type Component = (props: Props) => Element | null;
  type Child = Element | string | false | undefined;

  export interface System {
    readonly React: {
      createElement(type: string | Component, props: Props | null, ...children: readonly Child[]): Element;
    };
  }

  export interface Plugin {
    readonly components?: Readonly<Record<string, Component>>;
    readonly wrapComponents?: Readonly<Record<string, (original: Component) => Component>>;
  }

  export interface Reference {
    preauthorizeApiKey(scheme: string, key: string): void;
  }

  export default function SwaggerUI(
    options: Props & { plugins: readonly ((system: System) => Plugin)[] },
  ): Reference;
}
