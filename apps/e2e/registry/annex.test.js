let annex;
beforeAll(async () => {
  annex = await startAnnex();
}, 30_000);
afterAll(() => annex.stop());

test('a user without a role is refused', async () => {
  const jane = await annex.as({ user: 'jane' });
  await expect(jane.client.json({ path: '/api/v1/namespaces' })).rejects.toBeInstanceOf(StatusError);
});
