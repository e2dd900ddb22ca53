"""One text may name several servers, and is shown without passwords."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from turnfold.contract.server_urls import is_cluster, urls_of, without_password

hosts = st.from_regex(r"[a-z][a-z0-9-]{0,9}:[1-9][0-9]{0,3}", fullmatch=True)
passwords = st.from_regex(r"[a-z0-9%,/@]{0,9}SECRET", fullmatch=True)
plain = st.builds(
    lambda scheme, password, host: f"{scheme}://:{password}@{host}/0",
    st.sampled_from(["redis", "rediss"]), passwords, hosts,
)  # fmt: skip
clusters = st.builds(
    lambda password, names: f"redis+cluster://:{password}@{','.join(names)}", passwords.filter(lambda p: "@" not in p),
    st.lists(hosts, min_size=1, max_size=4),
)  # fmt: skip


@given(st.lists(plain | clusters, min_size=1, max_size=5))
def test_servers_are_read_in_their_order_and_no_password_is_shown(urls: list[str]) -> None:
    text = ",".join(urls)
    assert urls_of(text) == urls
    assert "SECRET" not in without_password(text)
    assert len(urls_of(without_password(text))) == len(urls)


@given(plain, clusters)
def test_a_cluster_is_told_from_a_server(server: str, cluster: str) -> None:
    assert is_cluster(cluster)
    assert not is_cluster(server)
