"""The typed CloudKit client of pyicloud, unmodified, against `cabinet serve`: see Scripts/test-pyicloud.sh."""

import sys

import requests
from pyicloud.common.cloudkit.client import CloudKitApiError, CloudKitAuthError, CloudKitContainerClient
from pyicloud.common.cloudkit.models import (
    CKModifyOperation, CKQueryFilterBy, CKQueryObject, CKQuerySortBy, CKWriteRecord, CKZoneChangesZoneReq, CKZoneID, CKZoneIDReq,
)

url, api_token, web_token, certificate = sys.argv[1:5]
session = requests.Session()
session.verify, session.trust_env = certificate, False
zone = CKZoneIDReq(zoneName="Groceries")


def make_client(token):
    base = f"{url}/database/1/com.example.notes/development/private"
    parameters = {"ckAPIToken": api_token, "ckWebAuthToken": token, "remapEnums": True, "getCurrentSyncToken": True}
    return CloudKitContainerClient(base, session, parameters)


def operation(kind, name, number=None, tag=None, fields=None):
    values = fields or {"name": {"type": "STRING", "value": name}, "number": {"type": "INT64", "value": number}}
    record = CKWriteRecord(recordName=name, recordType="Items", recordChangeTag=tag, fields=values)
    return CKModifyOperation(operationType=kind, record=record)


def changes(client, token=None):
    records = []
    request = CKZoneChangesZoneReq(zoneID=CKZoneID(zoneName="Groceries"), syncToken=token)
    for page in client.iter_changes(zone_req=request, results_limit=3):
        records += page.records
        token = page.syncToken
    return records, token


def expect_error(kind, text, action):
    try:
        action()
    except kind as error:
        assert text in f"{error} {getattr(error, 'payload', '')}", error
    else:
        raise AssertionError(f"expected {text}")


client = make_client(web_token)

# Zones
client.raw_post("/zones/modify", {"operations": [{"operationType": "create", "zone": {"zoneID": {"zoneName": "Groceries"}}}]})
assert {item.zoneID.zoneName for item in client.zones_list().zones} == {"Groceries", "_defaultZone"}

# Creation and conflict
saved = client.modify(operations=[operation("create", f"item{n}", n) for n in range(7)], zone_id=zone, atomic=True).records
assert [record.recordName for record in saved] == [f"item{n}" for n in range(7)]
tag = saved[0].recordChangeTag
updated = client.modify(operations=[operation("update", "item0", 10, tag)], zone_id=zone).records[0]
assert updated.fields["number"].value == 10
for atomic in (True, False):
    stale = [operation("update", "item0", 11, tag)]
    expect_error(CloudKitApiError, "CONFLICT", lambda: client.modify(operations=stale, zone_id=zone, atomic=atomic))

# A query in pages
query = CKQueryObject(
    recordType="Items",
    filterBy=[CKQueryFilterBy(comparator="LESS_THAN", fieldName="number", fieldValue={"type": "INT64", "value": 6})],
    sortBy=[CKQuerySortBy(fieldName="number", ascending=False)],
)
numbers, marker = [], None
while True:
    page = client.query(
        query=query, zone_id=zone, results_limit=2, continuation=marker, desired_keys=["number", "number"])
    numbers += [record.fields["number"].value for record in page.records]
    marker = page.continuationMarker
    if not marker:
        break
assert numbers == [5, 4, 3, 2, 1], numbers
assert client.query_sync_token(query=CKQueryObject(recordType="Items"), zone_id=zone)

# A missing record
found, missing = client.lookup(["item1", "missing"], zone_id=zone).records
assert found.recordName == "item1" and missing.serverErrorCode == "NOT_FOUND"

# Changes twice, and after a deletion
first, token = changes(client)
assert len(first) == 7
again, token = changes(client, token)
assert again == []
client.modify(operations=[operation("forceDelete", "item1", 0)], zone_id=zone)
after, token = changes(client, token)
assert [(record.recordName, record.deleted) for record in after] == [("item1", True)]
database = client.database_changes()
assert {item.zoneID.zoneName for item in database.zones} >= {"Groceries"}
assert client.database_changes(sync_token=database.syncToken).zones == []

# An asset, both ways
data = bytes(range(256)) * 5_000
receipt = client.upload_asset(
    record_type="Items", field_name="picture", record_name="item2", data=data, zone_id=zone)
picture = {"picture": {"type": "ASSETID", "value": receipt.model_dump(exclude_none=True)}}
client.modify(operations=[operation("forceUpdate", "item2", fields=picture)], zone_id=zone)
asset = client.lookup(["item2"], zone_id=zone).records[0].fields["picture"].value
assert asset.size == len(data)
assert client.download_asset_bytes(asset.downloadURL) == data
assert b"".join(client.download_asset_stream(asset.downloadURL)) == data

# Wrong credentials, and none
expect_error(CloudKitAuthError, "401", lambda: make_client("wrong").zones_list())
expect_error(CloudKitApiError, "421", lambda: make_client("").zones_list())

print("pyicloud: passed")
