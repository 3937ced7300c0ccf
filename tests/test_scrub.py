"""Private data: found, removed and told; and what only looks like it."""

from __future__ import annotations

import time

import pytest

from cardbook.record import scrub as module
from cardbook.record.scrub import find_personal_data, scrub, scrub_argv
from tests.shared_files import shared_formats

PRIVATE = [
    ("-m /home/alice/models/x.gguf", "home folder", "-m /home/<home-folder>/models/x.gguf"),
    ("/Users/bob.smith/x", "home folder", "/Users/<home-folder>/x"),
    (r"C:\Users\Carol\x", "home folder", r"C:\Users\<home-folder>\x"),
    (r'"C:\\Users\\Carol\\x"', "home folder", r'"C:\\Users\\<home-folder>\\x"'),
    ("/run/media/dave/disk/x.gguf", "home folder", "/run/media/<home-folder>/disk/x.gguf"),
    ("alice@bigbox:~/llama$ ./llama-bench", "shell prompt", "<shell-prompt>:~/llama$ ./llama-bench"),
    ("ask alice.b@example.org about it", "mail address", "ask <mail-address> about it"),
    ("GPU-1b2c3d4e-0001-0002-0003-000000000004", "device identifier", "<device-identifier>"),
    ("GPU PDI                 : 0x1b2c3d4e5f607182", "device identifier", "GPU PDI                 : <device-identifier>"),
    ('"Unique ID": "0x1b2c3d4e5f607182"', "device identifier", '"Unique ID": "<device-identifier>"'),
    ("    Serial Number           : 1320123456789", "serial number", "    Serial Number           : <serial-number>"),
    ("<serial>1320123456789</serial>", "serial number", "<serial><serial-number></serial>"),
    ("        ASIC_SERIAL: 0x1B2C3D4E", "serial number", "        ASIC_SERIAL: <serial-number>"),
    ("ether 02:42:ac:11:00:0f txqueuelen", "hardware address", "ether <hardware-address> txqueuelen"),
    ("listening on 192.168.1.20:8000", "network address", "listening on <network-address>:8000"),
    ("to 2001:db8::17 port", "network address", "to <network-address> port"),
    ("http://gpubox:8000/v1", "host name", "http://<host-name>:8000/v1"),
    ("http://rig.lan/v1", "host name", "http://<host-name>/v1"),
    ("HF_TOKEN=hf_abcdefghijklmnop1234", "secret", "HF_TOKEN=<secret>"),
    ('"api_key": "abc123def456ghi789"', "secret", '"api_key": "<secret>"'),
    ("Authorization: Bearer abc.def-ghi_123456", "secret", "Authorization: Bearer <secret>"),
    ("http://me:hunter2@proxy.example.org/", "secret", "http://<secret>@proxy.example.org/"),
]
HARMLESS = [
    "0.12.185.101 I perplexity: 11.10 seconds per pass",
    "1.12.185.101 W llama_context: x",
    "11.10 seconds per pass - ETA 1.02.201.104 I Final estimate: PPL = 2.8473 +/- 0.21367",
    "vllm serve x --host 127.0.0.1 --port 8000",
    "listening on 0.0.0.0:8000",
    "http://localhost:8000/v1",
    "driver 31.0.15.1",
    "nvidia-cudnn-cu12==8.9.7.29",
    "NCCL version 2.19.3.1",
    "cuDNN 9.1.0.70",
    "GPU 00000000:83:00.0",
    "std::array<char*, 2>::operator()",
    "12:34:56 and 2026-10-01T12:34:56",
    "Serial Number                  : 0000000000000",
    '"Serial Number": "N/A"',
    "UUID: GPU-00000000-0000-0000-0000-000000000000",
    "serialized: 12345678",
    "prompt tokens: 123456789012, max_tokens=131072000000",
    "print_info: EOS token        = 106 '<end_of_turn>'",
    "eos_token: endoftext_number_2",
    "constant@3.00 and constant@6.00",
    "/home/<home-folder>/x and /home/$USER/x and ${HOME}/x",
    "https://huggingface.co/org/model/resolve/main/x.gguf",
    "sha256 9e8a457d558083bd9119485a727a50e11ab23cd",
]


@pytest.fixture(autouse=True)
def nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "own_words", lambda: [])


@pytest.mark.parametrize(("text", "kind", "clean"), PRIVATE)
def test_private(text: str, kind: str, clean: str) -> None:
    assert kind in {found for found, _ in find_personal_data(text)}
    made, removed = scrub(text)
    assert made == clean
    (told,) = removed
    assert told.startswith(f"{kind}: ")


@pytest.mark.parametrize("text", HARMLESS)
def test_harmless(text: str) -> None:
    assert find_personal_data(text) == []
    assert scrub(text) == (text, [])


@pytest.mark.parametrize(("text", "kind", "clean"), PRIVATE)
def test_clean_text_stays_clean(text: str, kind: str, clean: str) -> None:
    assert find_personal_data(clean) == []
    assert scrub(clean) == (clean, [])


def test_a_secret_is_never_told() -> None:
    secret = "hf_abcdefghijklmnop1234"
    assert all(secret not in what for what in scrub(f"HF_TOKEN={secret}")[1])
    assert all(secret not in what for _, what in find_personal_data(f"HF_TOKEN={secret}"))


def test_what_was_apart_stays_apart() -> None:
    one, two = "1b2c3d4e-0001-0002-0003-000000000004", "1b2c3d4e-0001-0002-0003-000000000005"
    text, removed = scrub(f'{{"{one}": 1, "{two}": 2, "again": "{one}"}}')
    assert text == '{"<device-identifier>": 1, "<device-identifier-2>": 2, "again": "<device-identifier>"}'
    assert removed == [f"device identifier: {one} (2 times)", f"device identifier: {two}"]


def test_private_columns_of_a_csv() -> None:
    text = "index, name, serial, hostname, power.draw [W]\n0, NVIDIA H200, 1320123456789, rack7, 77.71 W\n1, NVIDIA H200, [N/A], rack7, 78.00 W\n"
    clean, removed = scrub(text)
    assert clean == text.replace("1320123456789", "<serial-number>").replace("rack7", "<host-name>")
    assert removed == ["serial number: 1320123456789", "host name: rack7 (2 times)"]


def test_user_and_host_of_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "own_words", lambda: [("user name", "zelda"), ("host name", "big.box")])
    assert scrub("zelda on big.box, not zeldas or big-box") == (
        "<user-name> on <host-name>, not zeldas or big-box",
        ["user name: zelda", "host name: big.box"],
    )


@pytest.mark.parametrize(
    ("argv", "clean"),
    [
        (["vllm", "bench", "--api-key", "short"], ["vllm", "bench", "--api-key", "<secret>"]),
        (["x", "--hf-token=abc"], ["x", "--hf-token=<secret>"]),
        (["x", "--max-new-tokens", "128", "--n-token", "7"], ["x", "--max-new-tokens", "128", "--n-token", "7"]),
        (["x", "-m", "/home/alice/m.gguf"], ["x", "-m", "/home/<home-folder>/m.gguf"]),
        (["x", "--password", "-v"], ["x", "--password", "-v"]),
    ],
)
def test_argv(argv: list[str], clean: list[str]) -> None:
    made, removed = scrub_argv(argv)
    assert made == clean
    assert bool(removed) == (made != argv)


def test_public_logs_of_llama_server_have_no_addresses() -> None:
    text = shared_formats("llama-server", "server.log").read_text(errors="replace")
    assert find_personal_data(text) == []


@pytest.mark.parametrize("unit", ["a", "a.b-c@", "1.2.3.4 ", "token ", "ab:", "serial: ", "/home/", "http://a", "eyJ", " ", "-"])
def test_time_grows_with_length_only(unit: str) -> None:
    begun = time.monotonic()
    find_personal_data(unit * (300_000 // len(unit)))
    assert time.monotonic() - begun < 10
