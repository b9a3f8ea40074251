export {
  type AuthorizationApp,
  type AuthorizationConfig,
  type AuthorizationDeps,
  createAuthorizationApp,
} from './app.ts';
export { runAuthorization } from './run.ts';
