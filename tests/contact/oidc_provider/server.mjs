// A provider with one client and whoever types a name: node server.mjs CLIENT_ID CLIENT_SECRET REDIRECT_URI
// Prints its issuer. Its ID tokens are thin, which is its own default: the e-mail address is at the userinfo endpoint.
import { createServer } from "node:http";
import Provider from "oidc-provider";

const [client_id, client_secret, redirect_uri] = process.argv.slice(2);
const server = createServer();
server.listen(0, "127.0.0.1", () => {
  const issuer = `http://127.0.0.1:${server.address().port}`;
  const provider = new Provider(issuer, {
    clients: [{ client_id, client_secret, redirect_uris: [redirect_uri] }],
    claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["preferred_username"] },
    findAccount: (_context, sub) => ({
      accountId: sub,
      claims: () => ({ sub, email: `${sub}@lab.example`, email_verified: true, preferred_username: sub }),
    }),
  });
  server.on("request", provider.callback());
  console.log(issuer);
});
