// @ai-sdk/provider names these types, and leaves their package to its users.
declare module "json-schema" {
  export type JSONSchema7 = object;
  export type JSONSchema7Definition = object | boolean;
}
