/** What the faults need of etcd: requests to its JSON gateway. */
export interface EtcdApi {
  /** The ID of this member and of its leader, in hexadecimal, and the current revision. */
  status(): Promise<{ member: string; leader: string; revision: number }>;
  compact(revision: number): Promise<void>;
  defragment(): Promise<void>;
  /** Makes another member the leader. Only the leader can do this. */
  moveLeader(member: string): Promise<void>;
  /** Makes the cluster refuse writes for lack of space, as a member does whose quota is used up; or ends this. */
  setNoSpace(isFull: boolean): Promise<void>;
}

interface Status {
  header: { member_id: string; revision: string };
  leader?: string;
}

const requestTimeoutMs = 10_000;
const hexadecimal = (id: string) => BigInt(id).toString(16);
const decimal = (id: string) => BigInt(`0x${id}`).toString();

/** Returns the API of the member at this client URL. */
export function etcdApi(url: string): EtcdApi {
  const post = async <T>(path: string, body: object): Promise<T> => {
    const signal = AbortSignal.timeout(requestTimeoutMs);
    const response = await fetch(`${url}/v3/${path}`, { method: 'POST', body: JSON.stringify(body), signal });
    if (!response.ok) throw new Error(`${path}: ${await response.text()}`);
    return (await response.json()) as T;
  };
  return {
    async status() {
      const { header, leader = '0' } = await post<Status>('maintenance/status', {});
      return {
        member: hexadecimal(header.member_id),
        leader: hexadecimal(leader),
        revision: Number(header.revision),
      };
    },
    compact: (revision) => post('kv/compaction', { revision: String(revision) }),
    defragment: () => post('maintenance/defragment', {}),
    moveLeader: (member) => post('maintenance/transfer-leadership', { targetID: decimal(member) }),
    setNoSpace: (isFull) =>
      post('maintenance/alarm', { action: isFull ? 'ACTIVATE' : 'DEACTIVATE', alarm: 'NOSPACE' }),
  };
}
