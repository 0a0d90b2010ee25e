// @ai-sdk/provider uses these types, and leaves installing their package to its users.
declare module "json-schema" {
  export type JSONSchema7 = object;
  export type JSONSchema7Definition = object | boolean;
}
